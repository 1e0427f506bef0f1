"""Hints at the suite that has a case, and what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import InvalidFile, UsageError
from row3.project.chosen_cases import case_hint, choose_cases
from row3.project.project import Project, open_project, pick_suite
from tests.memory import memory
from tests.projects import tiny

OTHERWISE = "Look again"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Documents m1, m2 and both of suites `events` and `entities`; queries and a seed of others."""
    return open_project(memory(tmp_path_factory.mktemp("memory") / "project").root)


def hint(project: Project, wanted: str, suite: str = "events") -> str:
    own = project.cases.entries(project.golden(suite))
    return case_hint(project, suite, wanted, own, otherwise=OTHERWISE)


def test_the_hint_names_the_suite_that_has_the_case(project: Project) -> None:
    assert hint(project, "g1") == "Suite `graph` has it: use `--suite graph`"


def test_suites_that_share_a_folder_are_both_named(project: Project) -> None:
    both = "Suites `entities` and `events` have it: use `--suite entities` or `--suite events`"
    assert hint(project, "m1", suite="graph") == both
    assert hint(project, "m1x") == "Did you mean `m1`?"  # the same folder is no other suite


def test_a_pattern_that_matches_in_another_suite(project: Project) -> None:
    queries = project.cases.entries(project.golden("retrieval"))
    assert len(queries) > 1
    first = next(iter(queries))[0]
    assert hint(project, f"{first}*") == "Suite `retrieval` has it: use `--suite retrieval`"


def test_a_near_miss(project: Project) -> None:
    assert hint(project, "bot") == "Did you mean `both`?"
    assert hint(project, "m1", suite="events") == "Did you mean `m1`?"


def test_no_similar_case(project: Project) -> None:
    assert hint(project, "zzzzzz") == OTHERWISE


def test_the_hint_uses_the_commands_own_syntax(project: Project) -> None:
    text = case_hint(project, "events", "g1", [], otherwise=OTHERWISE, how="`row3 score {}`".format)
    assert text == "Suite `graph` has it: use `row3 score graph`"


def test_the_cases_that_match_a_glob(project: Project) -> None:
    suite = pick_suite(project, "events")
    assert choose_cases(project, suite, ()) is None
    assert choose_cases(project, suite, ["m?"]) == {"m1", "m2"}
    assert choose_cases(project, suite, ["m1", "b*"]) == {"m1", "both"}
    assert [stored.id for stored in project.cases_of(suite, {"m2"})] == ["m2"]
    with pytest.raises(UsageError, match="no case matches `g1`. Suite `graph` has it: use `--suite graph`"):
        choose_cases(project, suite, ["m1", "g1"])
    with pytest.raises(UsageError, match="no case has the tag `x`. Add `tags` to cases first; none has any"):
        choose_cases(project, suite, (), ["x"])


def test_a_case_needs_one_glob_and_one_tag(tmp_path: Path) -> None:
    box = tiny(tmp_path / "box")
    box.case("rye", tags=["grain", "short"])
    box.case("yeast", tags=["short"])
    project = open_project(box.root)

    def chosen(globs: list[str], *tags: str) -> frozenset[str] | None:
        return choose_cases(project, pick_suite(project, None), globs, tags)

    assert chosen([], "short") == {"rye", "yeast"}
    assert chosen([], "grain", "short") == {"rye", "yeast"}
    assert chosen(["y*", "o*"], "short") == {"yeast"}
    with pytest.raises(UsageError, match="no case matches both --case and --tag"):
        chosen(["oven"], "grain")
    with pytest.raises(UsageError, match="no case has the tag `grains`. Did you mean `grain`"):
        chosen([], "grains")
    with pytest.raises(UsageError, match="no case has the tag `zzz`. Tags: grain, short"):
        chosen([], "zzz")


def test_an_unreadable_case_is_reported_instead_of_no_match(tmp_path: Path) -> None:
    box = tiny(tmp_path / "box")
    box.write("golden/bread/oven.gold.json", "{")
    project = open_project(box.root)
    with pytest.raises(InvalidFile, match="oven.gold.json"):
        choose_cases(project, pick_suite(project, None), ["oven"])


def test_broken_files_of_other_suites_are_ignored(tmp_path: Path) -> None:
    box = memory(tmp_path / "project")
    box.write("golden/memory/graph/a.gold.json", "{")
    box.write("golden/memory/graph/b.gold.json", "[]")
    assert hint(open_project(box.root), "g1") == "Suite `graph` has it: use `--suite graph`"
