"""Integrations ask a kind by its interface: none is named, and no module of one is imported."""

from __future__ import annotations

import ast
from pathlib import Path

import row3
from row3.kinds import MODULES
from tests.rows import every_row

FOLDER = Path(row3.__file__).parent / "integrations"


def named_kinds(source: str) -> set[str]:
    """The kinds that a module's source names in a text of its own or in an import."""
    nodes = list(ast.walk(ast.parse(source)))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {
        kind
        for kind in MODULES
        if kind in texts or any(f"{name}.".startswith(f"row3.kinds.{kind}.") for name in imported)
    }


@every_row("path", sorted(FOLDER.rglob("*.py")))
def test_no_integration_names_a_kind(path: Path) -> None:
    assert named_kinds(path.read_text(encoding="utf-8")) == set()


@every_row(
    "source", ['KIND = "events"', "from row3.kinds.events.model import Case", "from row3.kinds.graph import KIND"]
)
def test_a_named_kind_is_found(source: str) -> None:
    assert len(named_kinds(source)) == 1
