# entable: what there is to run. `make` alone lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The steps have an order: what fails fast comes first, and cargo and maturin share one target folder.
.NOTPARALLEL:
.DELETE_ON_ERROR:

WORK := .work
PYTHON := .venv/bin/python
FILMS := examples/films
DATA := $(FILMS)/node_modules/.ok
# Parts of the repository that may not be there yet.
HAS_C := $(wildcard bindings-c/Cargo.toml)
HAS_PYTHON := $(wildcard bindings-python/Cargo.toml)
HAS_NODE := $(wildcard bindings-node/Cargo.toml)
HAS_BENCH := $(wildcard bench/Cargo.toml)

.PHONY: help run test check-release bench fmt lint tools data

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: tools data languages ## install the data, load films into a store file, show what the store does
	@mkdir -p $(WORK)
	cargo build --quiet --package entable-films
	@target/debug/entable-films

test: tools lint rust-test c-test python-test node-test ## every test of the fast tier (what .ci/run calls)
	@echo "all tests passed"

check-release: test long-test sanitizer-test valgrind-test install-test ## the long tier: random runs, sanitizers, installs

bench: ## where the benchmarks are
ifdef HAS_BENCH
	@echo "bench/ is a workspace of its own, built in the release profile: see bench/README.md"
else
	@echo "bench/ will hold the benchmarks and their results; it is not there yet"
endif

fmt: ## format the code
	cargo fmt --all

lint: tools $(if $(HAS_PYTHON),.venv/.ok) ## format, clippy, docs
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --quiet --no-deps --package entable

tools:
	@.ci/tools

# Rust

.PHONY: rust-test
rust-test:
	if cargo nextest --version >/dev/null 2>&1; then cargo nextest run --workspace; \
	else cargo test --workspace --all-targets; fi
	cargo test --workspace --doc

# What is installed into the checkout. A stamp is older than the list that it was made from if that has changed.

data: $(DATA)

$(DATA): $(FILMS)/package-lock.json
	cd $(FILMS) && npm ci --ignore-scripts --loglevel=error
	@touch $@

.venv/.ok: requirements-dev.txt
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@

bindings-node/node_modules/.ok: bindings-node/package-lock.json
	cd bindings-node && npm ci --ignore-scripts --loglevel=error
	@touch $@

.PHONY: languages c-test python-test node-test
languages:
c-test:
python-test:
node-test:

# The long tier

.PHONY: long-test sanitizer-test valgrind-test install-test
long-test:
	ENTABLE_LONG=1 cargo test --workspace --all-targets

# A compiler that is stable takes the flag only so. The target is named so that build scripts go without it.
sanitizer-test:
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test --package entable --lib \
		--target x86_64-unknown-linux-gnu --target-dir target/asan

valgrind-test:
install-test:
