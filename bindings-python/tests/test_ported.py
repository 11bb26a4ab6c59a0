"""Programs for the official client: they type-check against it as they are, and against this package with their imports
and the line that makes the client changed; then they print what they print there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("azure.data.tables")
pytest.importorskip("pyright")

FOLDER = Path(__file__).parents[2] / "examples" / "python" / "ported"
PROGRAMS = sorted(FOLDER.glob("*.py"))


def ported(program: Path) -> str:
    """The program with its imports changed, and one line more."""
    changes = {
        r"^from azure\.data\.tables\.aio import": "from entable.aio import",
        r"^from azure\.(data\.tables|core|core\.exceptions) import": "from entable import",
        r'^(\w+ = Table(?:Service)?Client)\.from_connection_string\("[^"]*"': r'\1(":memory:"',
    }
    text = program.read_text(encoding="utf-8")
    for official, ours in changes.items():
        text, count = re.subn(official, ours, text, flags=re.MULTILINE)
        assert count == 1 or "import" in official, f"one line of {program.name} makes the client"
    assert "azure" not in text
    return text


def complaints(*programs: Path) -> str:
    """What pyright says of programs."""
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *map(str, programs)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert checked.returncode in (0, 1), checked.stdout + checked.stderr
    return checked.stdout if checked.returncode else ""


def test_they_are_programs_for_the_official_client() -> None:
    assert len(PROGRAMS) == 3
    assert complaints(*PROGRAMS) == ""


def test_they_are_programs_for_this_package_with_their_imports_and_a_line_changed(tmp_path: Path) -> None:
    changed = [tmp_path / program.name for program in PROGRAMS]
    for program, file in zip(PROGRAMS, changed, strict=True):
        file.write_text(ported(program), encoding="utf-8")
    assert complaints(*changed) == ""
    wrong = tmp_path / "wrong.py"
    wrong.write_text(ported(FOLDER / "inventory.py").replace('get_entity("south", "none")', 'get_entity("south", 5)'))
    assert "reportArgumentType" in complaints(wrong)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_it_prints_what_it_prints_there(program: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", ported(program)], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stderr == ""
    assert run.stdout == program.with_suffix(".txt").read_text(encoding="utf-8")
