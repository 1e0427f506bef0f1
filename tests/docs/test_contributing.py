"""CONTRIBUTING.md says which files answer a question: they exist, are few, and no other file answers it too."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

from row3.cli.formats import FORMS
from row3.domain.endpoints import PRESETS
from row3.kinds import MODULES
from row3.kinds.checks.model import TYPES
from tests.rows import every_row

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "row3"
MOST = 3
ROWS = {
    question: re.findall(r"`([\w/]+(?:\.py|/))`", files)
    for question, files in re.findall(r"^\| ([^|]+?) \| (.+) \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M)
    if question not in ("question", ":--")
}


def constants(path: Path) -> set[object]:
    """Return the values that a module's code names: constants, and names of fields and functions."""
    found: set[object] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Constant(value=str() | int() as value):
                found.add(value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


NAMED = {path.relative_to(PACKAGE).as_posix(): constants(path) for path in PACKAGE.rglob("*.py")}


def files_naming(is_named: Callable[[set[object]], bool]) -> set[str]:
    return {path for path, found in NAMED.items() if is_named(found)}


@every_row("question", ROWS)
def test_a_question_is_answered_by_a_few_files_that_exist(question: str) -> None:
    files = ROWS[question]
    assert files or "`docs/" in question
    assert len([each for each in files if each.endswith(".py")]) <= MOST
    assert all((PACKAGE / each).exists() for each in files), files


def test_the_limit_is_compared_in_one_function() -> None:
    defined = [path for path in PACKAGE.rglob("*.py") if re.search(r"^def exceeds\(", path.read_text("utf-8"), re.M)]
    assert defined == [PACKAGE / ROWS["where 5 points block"][0]]


def test_a_models_429_is_handled_in_one_file() -> None:
    handled = {path for path in files_naming(lambda found: 429 in found) if not path.startswith("integrations/")}
    assert handled == set(ROWS["what happens on a model's 429"])


def test_a_service_a_kind_and_a_format_are_lines_where_the_table_says() -> None:
    for question, names in {
        "adding a service with OpenAI's interface": PRESETS,
        "adding a kind": MODULES,
        "adding a format": [name for name, form in FORMS.items() if form.of_runs],
    }.items():
        assert all(set(names) & NAMED[file] for file in ROWS[question] if file.endswith(".py")), question


@every_row("type_", [each for each in TYPES if "_" in each and each != "json_schema"])
def test_a_type_of_check_is_named_where_the_table_says(type_: str) -> None:
    # `json_schema` is left out: it is also a word of OpenAI's interface.
    importer = {"commands/importing/promptfoo_checks.py"}  # it maps the names of another tool
    named = files_naming(lambda found: type_ in found) - importer
    assert named == set(ROWS["what a type of check is, adding one"]), named
