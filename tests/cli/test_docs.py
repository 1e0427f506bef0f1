"""`row3 docs`: the pages that messages point to, wherever row3 is installed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from row3.cli.project import page_files
from tests.projects import HOME, Box

SOURCES = [path for path in (HOME / "row3").rglob("*") if path.suffix in (".py", ".toml", ".md")]


@pytest.fixture
def nowhere(tmp_path: Path) -> Box:
    """A folder without a project."""
    box = Box(tmp_path / "empty")
    box.root.mkdir()
    return box


def test_the_pages_are_listed_with_their_titles(nowhere: Box) -> None:
    lines = nowhere.row3("docs", code=0).out.splitlines()
    assert len(lines) == len(page_files()) > 20
    assert re.search(r"(?m)^gate +\S", "\n".join(lines))


@pytest.mark.parametrize("name", ["gate", "gate.md", "docs/gate.md"])
def test_a_page_is_printed_as_it_is(nowhere: Box, name: str) -> None:
    assert nowhere.row3("docs", name, code=0).out == (HOME / "docs/gate.md").read_text(encoding="utf-8")


def test_a_page_that_is_none_names_the_near_miss(nowhere: Box) -> None:
    assert "Did you mean `gate`?" in nowhere.row3("docs", "gat", code=2).err


def test_every_page_that_the_program_names_is_one() -> None:
    pages = page_files()
    named = {
        (path.relative_to(HOME).as_posix(), name)
        for path in SOURCES
        for name in re.findall(r"`row3 docs ([\w-]+)|\bdocs/([\w-]+)\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert not [(path, one or other) for path, (one, other) in named if (one or other) not in pages]


def test_help_and_messages_name_no_path_of_a_page() -> None:
    """It leads nowhere where row3 is installed; docstrings below the command line are for who reads the source."""
    for path in SOURCES:
        if path.suffix != ".py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            ast.get_docstring(node, clean=False)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        } | {
            node.value.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        kept = set() if path.parent.name == "cli" else docstrings
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not [text for text in texts - kept if re.search(r"docs/[\w-]+\.md", text)], path.name
