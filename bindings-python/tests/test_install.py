"""As a user would install: from the tree, from a wheel, from the sources, each into an environment that is empty.

It builds the package four times in the release profile, so it runs where ``ENTABLE_INSTALL`` is set: ``make
install-test``.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif("ENTABLE_INSTALL" not in os.environ, reason="builds for minutes: make install-test")

PACKAGE = Path(__file__).parents[1]
WHEEL_BYTES = 6_000_000
# The dearest of what a program pays when it starts.
IMPORT_RATIO = 1.5


def run(*command: str | Path, cwd: Path = PACKAGE) -> str:
    # Sources that are unpacked elsewhere share what is compiled of other people's crates.
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(PACKAGE.parent / "target"),
        # Zig is found by its name, also where nobody has activated the environment that it is in.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment.pop("PYTHONPATH", None)
    ended = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("install")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    run(sys.executable, "-m", "maturin", "build", "--release", "--locked", "--out", folder / "wheel")
    [wheel] = (folder / "wheel").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def manylinux(folder: Path) -> Path:
    pytest.importorskip("ziglang")
    zig = ["--zig", "--compatibility", "manylinux2014"]
    run(sys.executable, "-m", "maturin", "build", "--release", "--locked", *zig, "--out", folder / "manylinux")
    [wheel] = (folder / "manylinux").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def sources(folder: Path) -> Path:
    run(sys.executable, "-m", "maturin", "sdist", "--out", folder / "sources")
    [sources] = (folder / "sources").glob("*.tar.gz")
    return sources


def installed(what: Path, folder: Path) -> Path:
    """The Python of a new environment that has nothing but this."""
    run(sys.executable, "-m", "venv", folder / "env")
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", what)
    return python


def check(python: Path, folder: Path) -> None:
    """The example of the README runs, on the package that was installed and no other."""
    [example] = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (folder / "example.py").write_text(example, encoding="utf-8")
    run(python, "example.py", cwd=folder)
    assert (folder / "orders.ent").exists()
    place = run(python, "-c", "import entable; print(entable.__file__)", cwd=folder)
    assert Path(place).is_relative_to(folder / "env")
    clean = "import entable; print(entable.verify('orders.ent').is_clean)"
    assert run(python, "-c", clean, cwd=folder) == "True\n"


def test_from_the_tree(tmp_path: Path) -> None:
    check(installed(PACKAGE, tmp_path), tmp_path)


def test_from_the_sources(sources: Path, tmp_path: Path) -> None:
    check(installed(sources, tmp_path), tmp_path)


def test_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    assert wheel.stat().st_size < WHEEL_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    for part in ("entable/py.typed", "entable/_entable.pyi", "/licenses/LICENSE-MIT", "/licenses/LICENSE-APACHE"):
        assert any(name.endswith(part) for name in names), (part, names)
    check(installed(wheel, tmp_path), tmp_path)


def test_from_a_wheel_for_old_systems(manylinux: Path, tmp_path: Path) -> None:
    assert "manylinux_2_17" in manylinux.name
    assert manylinux.stat().st_size < WHEEL_BYTES
    check(installed(manylinux, tmp_path), tmp_path)


def test_the_import_costs_little_beside_that_of_sqlite3(wheel: Path, tmp_path: Path) -> None:
    python = installed(wheel, tmp_path)

    def seconds(module: str) -> float:
        code = f"from time import process_time as now\nbegun = now()\nimport {module}\nprint(now() - begun)"
        return float(run(python, "-c", code, cwd=tmp_path))

    # In turn, so that a bad minute of the machine hits both; the first round fills the caches.
    ratios = [seconds("entable") / seconds("sqlite3") for _ in range(16)][1:]
    assert statistics.median(ratios) <= IMPORT_RATIO, sorted(ratios)
