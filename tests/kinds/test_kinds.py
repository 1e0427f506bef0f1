from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from inspect import isfunction
from pathlib import Path

import pytest

import row3
from row3.domain.asks import SemanticRule
from row3.errors import InvalidFile
from row3.kinds import MODULES, all_kinds, kind_named
from row3.kinds.base import Kind, Rules
from tests.rows import every_row

KINDS = all_kinds()


@every_row("name", sorted(KINDS))
def test_kinds_are_found_by_their_own_name(name: str) -> None:
    kind = kind_named(name, where="row3.toml")
    assert kind.name == name


@every_row("name", sorted(KINDS))
def test_every_kind_ends_its_headline_metrics_with_the_composite(name: str) -> None:
    headline = [metric.key for metric in KINDS[name].metrics if not metric.companion]
    assert headline[-1] == KINDS[name].primary
    assert len({metric.key for metric in KINDS[name].metrics}) == len(KINDS[name].metrics)


@every_row("name", sorted(KINDS))
def test_a_signature_contains_the_semantic_rule_if_the_kind_uses_it_and_the_suite_sets_it(name: str) -> None:
    kind = KINDS[name]
    assert "semantic" not in kind.signature(Rules())
    if "matching.semantic" in kind.settings:
        assert kind.signature(Rules(semantic=SemanticRule("toy"))) == f"{kind.signature(Rules())} semantic/1=toy>=0.8"


def test_a_run_imports_no_kind_but_its_own() -> None:
    code = "import sys, row3.kinds as k; k.kind_named('extraction', where=''); print('row3.kinds.graph' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_an_unknown_kind_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InvalidFile, match=r"row3\.toml: unknown kind `extractoin`\. Kinds: .*extraction"):
        kind_named("extractoin", where="row3.toml")


def compared_names(code: str) -> Iterator[str]:
    """Yield the kinds' names that code compares something with, alone or in a collection; keys of objects are none."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare):
            is_key = isinstance(node.ops[0], ast.In | ast.NotIn)
            for part in node.comparators if is_key else (node.left, *node.comparators):
                for each in ast.walk(part) if is_key else [part]:
                    if isinstance(each, ast.Constant) and each.value in MODULES:
                        yield each.value


def test_no_other_folder_asks_which_kind_it_has() -> None:
    asked = "kind.name == 'graph' or kind.name in ('events', 'other') or 'checks' in value"
    assert list(compared_names(asked)) == ["graph", "events"]
    root = Path(row3.__file__).parent
    files = [path for path in root.rglob("*.py") if "kinds" not in path.relative_to(root).parts]
    assert {path for path in files if [*compared_names(path.read_text("utf-8"))]} == set()


def test_a_kind_has_few_methods_and_only_two_without_a_default() -> None:
    methods = [each for each in vars(Kind).values() if isfunction(each) or isinstance(each, property | cached_property)]
    assert len(methods) <= 15
    assert Kind.__abstractmethods__ == {"measure", "expected"}
