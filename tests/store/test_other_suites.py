"""Which suite has a case that another one was asked for, and what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import UsageError
from row3.store.cases import ids_of
from row3.store.other_suites import case_hint, cases_of, no_case_fits
from row3.store.project import Project, open_project
from row3.store.suites import pick_suite
from tests.memory import memory

OTHERWISE = "Look again"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Documents m1, m2 and both of suites `events` and `entities`; queries and a seed of others."""
    return open_project(memory(tmp_path_factory.mktemp("memory") / "project").root)


def hint(project: Project, wanted: str, suite: str = "events") -> str:
    own = ids_of(project.tree, project.golden(suite))
    return case_hint(project, suite, wanted, own, otherwise=OTHERWISE)


def test_the_suite_that_has_it_and_what_to_type(project: Project) -> None:
    assert hint(project, "g1") == "Suite `graph` has it: use `--suite graph`"


def test_suites_that_share_a_folder_are_both_named(project: Project) -> None:
    both = "Suites `entities` and `events` have it: use `--suite entities` or `--suite events`"
    assert hint(project, "m1", suite="graph") == both
    assert hint(project, "m1x") == "Did you mean `m1`?"  # the same folder is no other suite


def test_a_pattern_that_fits_elsewhere(project: Project) -> None:
    queries = ids_of(project.tree, project.golden("retrieval"))
    assert len(queries) > 1
    first = queries[0][0]
    assert hint(project, f"{first}*") == "Suite `retrieval` has it: use `--suite retrieval`"


def test_a_near_miss(project: Project) -> None:
    assert hint(project, "bot") == "Did you mean `both`?"
    assert hint(project, "m1", suite="events") == "Did you mean `m1`?"


def test_nothing_like_it(project: Project) -> None:
    assert hint(project, "zzzzzz") == OTHERWISE


def test_a_suite_is_named_as_the_command_needs_it(project: Project) -> None:
    text = case_hint(project, "events", "g1", [], otherwise=OTHERWISE, how="`row3 score {}`".format)
    assert text == "Suite `graph` has it: use `row3 score graph`"


def test_a_case_that_the_pattern_fits_and_another_choice_left_out(project: Project) -> None:
    suite = pick_suite(project, "events")
    assert str(no_case_fits(project, suite, "m1")).endswith("no case fits. Correct --case or --only.")
    assert str(no_case_fits(project, suite, None)).endswith("no case fits. Correct --case or --only.")


def test_the_cases_of_a_pattern_or_where_they_are(project: Project) -> None:
    suite = pick_suite(project, "events")
    assert [stored.id for stored in cases_of(project, suite, "m?")] == ["m1", "m2"]
    with pytest.raises(UsageError, match="no case fits `g1`. Suite `graph` has it: use `--suite graph`"):
        list(cases_of(project, suite, "g1"))


def test_a_broken_file_of_another_suite_is_passed_over(tmp_path: Path) -> None:
    box = memory(tmp_path / "project")
    box.write("golden/memory/graph/a.gold.json", "{")
    box.write("golden/memory/graph/b.gold.json", "[]")
    assert hint(open_project(box.root), "g1") == "Suite `graph` has it: use `--suite graph`"
