# entable: what there is to run. `make` alone lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The steps have an order: what fails fast comes first.
.NOTPARALLEL:
.DELETE_ON_ERROR:

WORK := .work
PYTHON := .venv/bin/python
FILMS := examples/films
DATA := $(FILMS)/node_modules/.ok
# What cargo leaves, and where the packages look for it.
CARGO := cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)/debug
EXTENSION = bindings-python/python/entable/_entable$(shell python3 -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
ADDON = bindings-node/entable.$(shell node -p '`$${process.platform}-$${process.arch}` + (process.platform === "linux" ? "-gnu" : "")').node
CC_C := cc -std=c11 -O1 -g -Wall -Wextra -Werror -pedantic -Ibindings-c/include
# The headers of the bridge are made by the build.
CC_CPP := c++ -std=c++17 -O1 -g -Wall -Wextra -Werror -pedantic -Ibindings-c/cxx/include -isystem $(dir $(TARGET))cxxbridge
LIB_C := $(TARGET)/libentable_c.a -lpthread -ldl -lm
LIB_CPP := $(TARGET)/libentable_cxx.a -lpthread -ldl -lm

.PHONY: help run test check-release sabotage bench bench-quick bench-node bench-python bench-c fmt lint tools data

# Where the C and C++ libraries go, and which build of them.
PREFIX ?= /usr/local
DESTDIR ?=
PROFILE ?= release
.PHONY: install uninstall dist c-libraries c-docs

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: tools $(DATA) .venv/.ok build languages ## install the data, load films into a store file, show what the store does
	@$(TARGET)/entable-films

test: tools installed lint rust-test c-test python-test node-test films-test ## every test of the fast tier (what .ci/run calls)
	@echo "all tests passed"

check-release: test long-test sanitizer-test valgrind-test install-test cloud-test ## the long tier: random runs, sanitizers, installs

# A workspace of its own, in the release profile: bench/README.md says what is measured, and how to measure less.
BENCH_CARGO := $(CARGO) run --release --manifest-path bench/Cargo.toml --package
# Films with their casts in JSON lines, for one row of the bench; bench/README.md says where they are to be had.
MOVIES ?=
FLIGHTS := $(FILMS)/node_modules/vega-datasets/data/flights-3m.parquet

.PHONY: bench-rust bench-growth bench-report
bench: bench-rust bench-python bench-node bench-c bench-growth bench-report ## entable beside its peers in each language, and how cost grows; writes bench/results.json, growth.json, RESULTS.md, report.html (half an hour)

bench-rust: tools $(DATA) ## entable beside raw LMDB, SQLite, redb and fjall; writes its rows of bench/results.json (minutes)
	$(BENCH_CARGO) bench-rust -- $(if $(MOVIES),--films $(MOVIES))
	$(WAYS)

# The patterns of the literature beside declared indexes, on the films: as in `make run`, in the release profile.
WAYS := $(CARGO) run --release --package entable-films -- ways --store $(WORK)/bench.ent

bench-growth: tools $(DATA) ## how cost grows with rows, tables, partitions, sizes, keys, indexes; writes bench/growth.json (minutes)
	$(BENCH_CARGO) bench-growth -- --flights $(FLIGHTS)

bench-report: tools ## the tables and plots of what was measured: bench/RESULTS.md, bench/report.html
	python3 -m venv $(WORK)/bench-report
	$(WORK)/bench-report/bin/pip install --quiet --disable-pip-version-check --requirement bench/report/requirements.txt
	$(WORK)/bench-report/bin/python bench/report/main.py

bench-quick: tools $(DATA) ## the same on fewer rows, in less than three minutes once it is built; writes nothing
	$(BENCH_CARGO) bench-rust -- --quick
	$(MAKE) bench-python bench-node BENCH_OPTIONS=--quick
	$(BENCH_CARGO) bench-growth -- --quick --flights $(FLIGHTS)

# The addon of the checkout is the optimised one afterwards, until the next build of the tests.
bench-node: tools ## entable in Node beside lmdb-js and better-sqlite3; writes its rows of bench/results.json (minutes)
	$(CARGO) build --release --package entable-node
	install -m 755 $(dir $(TARGET))release/libentable_node.so $(ADDON)
	cd bench/node && npm ci --loglevel=error && npm run --silent bench -- $(BENCH_OPTIONS)

# In an environment of its own. The module of the checkout is the optimised one afterwards, too.
bench-python: tools ## entable in Python beside py-lmdb, sqlite3 and diskcache; writes its rows of bench/results.json (minutes)
	$(CARGO) build --release --package entable-python
	install -m 755 $(dir $(TARGET))release/lib_entable.so $(EXTENSION)
	python3 -m venv $(WORK)/bench-python
	$(WORK)/bench-python/bin/pip install --quiet --disable-pip-version-check --requirement bench/python/requirements.txt
	PYTHONPATH=bindings-python/python $(WORK)/bench-python/bin/python bench/python/main.py $(BENCH_OPTIONS)

bench-c: tools ## the C API beside SQLite's in time, and beside the core in valgrind's instructions; writes its rows of bench/results.json
	$(BENCH_CARGO) bench-c

# Optimised ones, of a profile that is not the tests'.
c-libraries:
	$(CARGO) build --package entable-c --package entable-cxx --profile $(PROFILE:debug=dev)

install: c-libraries ## the C and C++ libraries, for pkg-config and CMake: PREFIX=/usr/local DESTDIR=
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) PROFILE=$(PROFILE) sh bindings-c/install.sh

uninstall: ## what `make install` has put there
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) sh bindings-c/install.sh uninstall

dist: c-libraries ## an archive of them for users without Rust, in target/dist
	PROFILE=$(PROFILE) sh bindings-c/dist.sh

c-docs: ## the manual of the C and C++ APIs, in target/doxygen/html; a warning is an error
	cd bindings-c && doxygen Doxyfile

fmt: ## format the code
	$(CARGO) fmt --all

lint: tools .venv/.ok ## format and lints
	$(CARGO) fmt --all --check
	.venv/bin/ruff check --quiet --config bindings-python/pyproject.toml bindings-python bench/python bench/report examples/python $(FILMS)/python tests/cloud
	$(CARGO) clippy --workspace --all-targets -- --deny warnings

tools:
	@.ci/tools

# What is installed into the checkout. A stamp that is older than the list it was made from is made again.

.PHONY: installed
installed: $(DATA) .venv/.ok bindings-node/node_modules/.ok

$(DATA): $(FILMS)/package-lock.json
	cd $(FILMS) && npm ci --ignore-scripts --loglevel=error
	@ln -s ../../../bindings-node $(FILMS)/node_modules/entable
	@touch $@

bindings-node/node_modules/.ok: bindings-node/package-lock.json
	cd bindings-node && npm ci --ignore-scripts --loglevel=error
	@touch $@

# The package in the checkout is what the environment finds.
.venv/.ok: requirements-dev.txt
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@echo '$(CURDIR)/bindings-python/python' >"$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/entable.pth"
	@touch $@

# Building. Everything is built by one cargo command with one profile, so each crate is compiled once; packagers
# (maturin, napi) would compile again with other features, and are what `check-release` tries. `make test` builds with
# --all-targets, whose development dependencies turn on more features: its crates are not those of `make run`.

.PHONY: build languages
build:
	$(CARGO) build $(foreach crate,films c cxx python node,--package entable-$(crate))

languages: $(WORK)/film-c $(WORK)/film-cpp
	@install -m 755 $(TARGET)/lib_entable.so $(EXTENSION)
	@install -m 755 $(TARGET)/libentable_node.so $(ADDON)

.PHONY: $(WORK)/film-c $(WORK)/film-cpp
$(WORK)/film-c:
	@mkdir -p $(WORK)
	$(CC_C) $(FILMS)/c/film.c $(LIB_C) -o $@
$(WORK)/film-cpp:
	@mkdir -p $(WORK)
	$(CC_CPP) $(FILMS)/cpp/film.cpp $(LIB_CPP) -o $@

# Tests

.PHONY: rust-test c-test python-test node-test films-test
# The test of licences reads every package of the lock file, those of other systems included, and without a network.
rust-test:
	$(CARGO) fetch --quiet --locked
	$(CARGO) build --workspace --all-targets
	if $(CARGO) nextest --version >/dev/null 2>&1; then $(CARGO) nextest run --workspace --all-targets --no-fail-fast; \
	else $(CARGO) test --workspace --all-targets --no-fail-fast; fi
	$(CARGO) test --workspace --doc
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --quiet --no-deps --package entable

# The boundary test is C that is C++, too. The vectors come as lines, for runners without a reader of JSON.
c-test: languages
	$(CC_C) bindings-c/tests/boundary.c $(LIB_C) -o $(WORK)/boundary-c
	$(WORK)/boundary-c
	$(CC_CPP) -Ibindings-c/include -x c++ bindings-c/tests/boundary.c -x none $(LIB_C) -o $(WORK)/boundary-c-as-cpp
	$(WORK)/boundary-c-as-cpp
	python3 bindings-c/tests/misuse.py >$(WORK)/misuse.c
	$(CC_C) -Ibindings-c/tests $(WORK)/misuse.c $(LIB_C) -o $(WORK)/misuse-c
	$(WORK)/misuse-c
	$(CC_C) bindings-c/tests/patterns.c $(LIB_C) -o $(WORK)/patterns-c
	$(WORK)/patterns-c
	$(CC_C) bindings-c/tests/transactions.c $(LIB_C) -o $(WORK)/transactions-c
	$(WORK)/transactions-c
	$(CC_C) bindings-c/tests/upkeep.c $(LIB_C) -o $(WORK)/upkeep-c
	$(WORK)/upkeep-c
	$(CC_CPP) -Ibindings-c/include -x c++ bindings-c/tests/callbacks.c -x none $(LIB_C) -o $(WORK)/callbacks-c
	$(WORK)/callbacks-c
	$(CC_CPP) bindings-c/tests/boundary.cc $(LIB_CPP) -o $(WORK)/boundary-cpp
	$(WORK)/boundary-cpp
	$(CC_CPP) bindings-c/tests/verbs.cc $(LIB_CPP) -o $(WORK)/verbs-cpp
	$(WORK)/verbs-cpp
	$(CC_C) bindings-c/examples/orders.c $(LIB_C) -o $(WORK)/orders-c
	$(WORK)/orders-c
	$(CC_CPP) bindings-c/examples/orders.cc $(LIB_CPP) -o $(WORK)/orders-cpp
	$(WORK)/orders-cpp
	$(TARGET)/examples/vector_lines c >$(WORK)/vectors-c.txt
	$(CC_C) bindings-c/tests/vectors.c bindings-c/tests/vector_case.c $(LIB_C) -o $(WORK)/vectors-c
	$(WORK)/vectors-c $(WORK)/vectors-c.txt
	$(TARGET)/examples/vector_lines cpp >$(WORK)/vectors-cpp.txt
	$(CC_C) -c bindings-c/tests/vector_case.c -o $(WORK)/vector_case.o
	$(CC_CPP) bindings-c/tests/vectors.cc $(WORK)/vector_case.o $(LIB_CPP) -o $(WORK)/vectors-cpp
	$(WORK)/vectors-cpp $(WORK)/vectors-cpp.txt

python-test: languages
	cd bindings-python && ../$(PYTHON) -m pytest --quiet
	cd bindings-python && ../$(PYTHON) -m mypy --strict python tests ../$(FILMS)/python ../examples/python/services && ../$(PYTHON) -m mypy.stubtest entable

node-test: languages
	cd bindings-node && npm test --silent && npx --no-install tsc --project .

# The main job, on a store file of its own, and the README's examples.
films-test: languages
	$(TARGET)/entable-films --store $(WORK)/films-test.ent
	$(call readme,python) >$(WORK)/readme.py
	$(PYTHON) $(WORK)/readme.py
	$(call readme,js) >$(FILMS)/node_modules/readme.mjs
	node $(FILMS)/node_modules/readme.mjs

# The README's example in one language.
readme = sed -n '/^```$(1)$$/,/^```$$/p' README.md | grep -v '^```'

sabotage: ## take each protection away, one by one, in a copy: its test must turn red
	$(CARGO) run --quiet --package entable-tests --bin sabotage -- $(CARGO) $(if $(WORD),"$(WORD)")

# The long tier

.PHONY: long-test sanitizer-test valgrind-test install-test cloud-test
long-test: languages
	ENTABLE_LONG=1 $(CARGO) test --workspace --all-targets
	cd bindings-node && ENTABLE_LONG=1 npm test --silent
	cd bindings-python && ENTABLE_LONG=1 ../$(PYTHON) -m pytest --quiet

# A compiler that is stable takes the flag only so. The target is named so that build scripts go without it.
sanitizer-test:
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address $(CARGO) test --package entable --lib \
		--target x86_64-unknown-linux-gnu --target-dir target/asan
	CARGO='$(CARGO)' PROFILE=debug sh bindings-c/tests/memory.sh sanitizers

# LMDB's map is made smaller where valgrind refuses the large one. What is 'possibly lost' is heed's table of open files.
valgrind-test: run
	valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
		$(WORK)/film-c $(WORK)/films.ent Action 'Avatar (2009)'
	valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
		$(WORK)/film-cpp $(WORK)/films.ent Action 'Avatar (2009)'
	CARGO='$(CARGO)' PROFILE=debug sh bindings-c/tests/memory.sh valgrind

# An export goes into Azurite by the official client, and comes back. Azurite is some hundred packages, for this alone.
cloud-test: languages .venv/.ok
	npm install --prefix $(WORK)/azurite --no-save --loglevel=error azurite@3.37.0
	$(PYTHON) tests/cloud/azurite.py $(WORK)/azurite

# As a user would install: into an environment and a folder that hold nothing else.
install-test: run
	cd bindings-python && ENTABLE_INSTALL=1 CARGO='$(CARGO)' ../$(PYTHON) -m pytest --quiet tests/test_install.py
	rm -rf $(WORK)/install && mkdir -p $(WORK)/install/node
	python3 -m venv $(WORK)/install/python
	$(WORK)/install/python/bin/pip install --quiet --disable-pip-version-check ./bindings-python
	$(WORK)/install/python/bin/python $(FILMS)/python/film.py $(WORK)/films.ent Action 'Avatar (2009)'
	cd bindings-node && npm run build -- --release && npm pack --silent --pack-destination ../$(WORK)/install/node
	cd $(WORK)/install/node && npm install --no-save --loglevel=error ./entable-*.tgz
	cp $(FILMS)/node/film.mjs $(WORK)/install/node
	node $(WORK)/install/node/film.mjs $(WORK)/films.ent Action 'Avatar (2009)'
	CARGO='$(CARGO)' PROFILE=debug sh bindings-c/tests/run.sh
	sh bindings-c/tests/compilers.sh
	if command -v doxygen >/dev/null; then $(MAKE) c-docs; else echo 'c-docs: skipped, there is no doxygen'; fi
