"""`row3 diff` of any two of: prompt versions, runs, baselines, git refs, models; in real git repositories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.commands.recordings.import_responses import import_responses
from row3.project.project import open_project, pick_suite
from row3.running.run_options import RunOptions
from row3.running.stages import Overrides
from tests.projects import CASES, Box, flawless, worse
from tests.projects import first as first_of


def refs(box: Box) -> str:
    """All that comparing must not touch: refs, index and work tree as git sees them."""
    return box.git("for-each-ref").out + box.git("status", "--porcelain").out + box.git("ls-files", "-s").out


@pytest.fixture
def branch(box: Box) -> Box:
    """A branch `draft` with a worse v1.2 and an edited case, one commit after main."""
    box.git("checkout", "-q", "-b", "draft")
    worse(box)
    box.case("yeast", created="2026-01-02")
    box.case("oven", forbiddenConcepts=["crust resonance", "steam memory"])
    box.commit("draft")
    box.git("checkout", "-q", "main")
    return box


def test_two_git_refs_with_their_own_prompts_cases_and_recordings(branch: Box) -> None:
    before = refs(branch), branch.tree()
    result = branch.row3("diff", "main", "draft", "--format", "json", code=0).json
    assert (result["before"]["prompts"], result["after"]["prompts"]) == ({"extract": "v1.1"}, {"extract": "v1.2"})
    assert result["after"]["commit"] == branch.git("rev-parse", "draft").out.strip()
    assert result["before"]["place"] == f"git {branch.git('rev-parse', 'main').out[:10]}, replayed"
    # An edited case is not the same test on both sides.
    assert sum(result["moves"].values()) == 3
    assert result["moves"]["regressed"] == result["compared"] == result["metrics"]["recall"]["cases"] == 1
    assert (result["metrics"]["recall"]["before"], result["metrics"]["recall"]["after"]) == (1.0, 0.5)
    assert '+version: "1.2"' in result["promptDiffs"]["extract"]
    assert (refs(branch), branch.tree()) == before


def test_the_work_tree_s_edits_are_not_those_of_a_ref(branch: Box) -> None:
    branch.git("checkout", "-q", "draft")
    branch.write("prompts/extract-v1.2.md", "broken")
    branch.path("golden/bread/rye.gold.json").unlink()
    branch.write("row3.toml", "nonsense = 1\n")
    done = branch.row3("diff", "git:main", "HEAD~1", code=2)
    assert "row3.toml" in done.errors[0]  # the project of today has to be one
    branch.git("checkout", "-q", "--", "row3.toml")
    done = branch.row3("diff", "git:main", "HEAD~1", code=0)
    assert "nothing: prompts, model, parameters, cases and rules are the same, and no case moved" in " ".join(
        done.out.split()
    )
    assert "Cases: 3 unchanged" in done.out


def test_any_two_kinds_go_together(branch: Box) -> None:
    branch.row3(code=0)
    for before, after, moves in (
        ("v1.0", "main", {"improved": 3}),
        ("main", "baseline", {"regressed": 3}),
        ("baseline", "latest", {"improved": 3}),
        ("latest", "model:baker-1", {"unchanged": 3}),
        ("model:baker-1", "extract-v1.0", {"regressed": 3}),
        ("git:HEAD", "run:latest", {"unchanged": 3}),
    ):
        assert branch.row3("diff", before, after, "--format", "json", code=0).json["moves"] == moves, (before, after)


def test_outputs_made_elsewhere_are_named_once(box: Box) -> None:
    lines = [json.dumps({"caseId": case_id, "output": flawless(case)}) + "\n" for case_id, case in CASES.items()]
    box.write("outputs.jsonl", "".join(lines))
    box.row3("score", "bread", "--outputs", "outputs.jsonl", code=0)
    assert "outputs made elsewhere · 3 cases" in box.row3("diff", "baseline", code=0).out


def test_models_are_compared_on_what_both_have(box: Box) -> None:
    project = open_project(box.root)
    lines = [
        {"caseId": name, "prompt": "extract-v1.1", "response": json.dumps(first_of(flawless(CASES[name]), 2))}
        for name in ("rye", "oven")
    ]
    file = box.write("raw.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    options = RunOptions(overrides=Overrides(model="baker-2"))
    import_responses(project, pick_suite(project, None), file, named=("extract-v1.1",), options=options)
    done = box.row3("diff", "model:baker-1", "model:baker-2", code=3)
    out = " ".join(done.out.split())
    assert "Cases: 2 regressed, 1 failed" in out
    assert "Over the 2 cases that both runs have and that can be compared." in out
    assert "model:baker-2: 1 case without an answer, not counted above. First: extract-v1.1: no recording" in out
    result = box.row3("diff", "model:baker-2", "model:baker-1", "--prompt", "extract-v1.1", "--format", "json", code=3)
    assert [(one["name"], one["cases"]) for one in result.json["unanswered"]] == [("model:baker-2", 1)]
    done = box.row3("diff", "model:baker-3", "baseline", code=2)
    assert done.errors == [
        "error: recordings/bread/: no answer from model `baker-3` is recorded. Recorded models: baker-1, baker-2; "
        "record another with `row3 --mode record --model NAME`."
    ]


def test_a_version_is_a_prompt_before_it_is_a_tag(box: Box) -> None:
    box.git("tag", "v1.0")
    assert "(replayed now) → v1.1" in box.row3("diff", "v1.0", "v1.1", code=0).out
    result = box.row3("diff", "git:v1.0", "prompt:extract-v1.1", "--format", "json", code=0).json
    assert (result["before"]["place"][:4], result["moves"]) == ("git ", {"unchanged": 3})


def test_a_version_of_two_prompts_is_of_the_first_in_the_pipeline(second: Box) -> None:
    second.git("checkout", "-q", "tidy")
    for before, after in (("v1.2", "v1.3"), ("v1.2", "decompose-concepts-v1.3")):
        result = second.row3("diff", before, after, "--format", "json", code=0).json
        assert list(result["promptDiffs"]) == ["decompose-concepts"]


@pytest.mark.parametrize(
    ("before", "after", "left", "right"),
    [
        ("decompose-concepts-v1.0", "decompose-concepts-v1.1", ("v1.0", "v1.0"), ("v1.1", "v1.1")),
        ("map-ontology-v1.1", "prompt:map-ontology-v1.0", ("v1.1", "v1.1"), ("v1.3", "v1.0")),
        ("decompose-concepts-v1.0", "v1.1", ("v1.0", "v1.0"), ("v1.1", "v1.1")),
        ("v1.1", "v1.3", ("v1.1", "v1.1"), ("v1.3", "v1.0")),
    ],
)
def test_a_version_of_one_prompt_goes_with_what_was_recorded(
    first: Box, before: str, after: str, left: tuple[str, str], right: tuple[str, str]
) -> None:
    first.row3("new-version", "decompose-concepts", code=0)  # v1.3 has the text of v1.0, the promoted one
    result = first.row3("diff", before, after, "--format", "json", code=0).json
    names = ("decompose-concepts", "map-ontology")
    assert result["before"]["prompts"] == dict(zip(names, left, strict=True))
    assert result["after"]["prompts"] == dict(zip(names, right, strict=True))
    assert sum(result["moves"].values()) == 15


def test_a_version_without_any_answer_tells_of_the_candidates(first: Box) -> None:
    first.row3("new-version", "map-ontology", code=0)
    first.replace("prompts/map-ontology-v1.3.md", "usually states 30", "usually states 40")
    (error,) = first.row3("diff", "v1.1", "v1.3", code=3).errors
    assert "`v1.3` has no recorded answers" in error
    assert "map-ontology-v1.3: no recording" in error


def test_a_ref_that_is_missing_in_a_shallow_clone_says_how_to_get_it(branch: Box, tmp_path: Path) -> None:
    branch.git("clone", "-q", "--depth", "1", "--branch", "draft", f"file://{branch.root}", str(tmp_path / "shallow"))
    shallow = Box(tmp_path / "shallow")
    assert "Cases: 3 unchanged" in shallow.row3("diff", "HEAD", "draft", code=0).out
    for name in ("HEAD~1", "git:HEAD~1", "git:main"):
        (error,) = shallow.row3("diff", name, "HEAD", code=2).errors
        assert "shallow" in error
        assert "git fetch --unshallow" in error


def test_a_ref_without_the_suite_or_with_a_broken_file_is_told_by_its_name(box: Box) -> None:
    box.git("checkout", "-q", "--orphan", "empty")
    box.git("rm", "-rq", "--cached", ".")
    box.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "nothing")
    box.git("checkout", "-qf", "main")
    (error,) = box.row3("diff", "empty", "main", code=2).errors
    assert "golden/bread/ (git " in error
    assert "the suite does not exist at empty" in error
    box.replace("golden/bread/rye.gold.json", '"expectedConcepts"', '"expectedconcepts"')
    box.commit("broken")
    box.git("checkout", "-q", "HEAD~1")
    (error,) = box.row3("diff", "main", "HEAD", code=2).errors
    assert "golden/bread/rye.gold.json at main: " in error
    assert "field `expectedConcepts` is missing" in error


def test_a_ref_whose_recordings_are_missing_is_incomplete(box: Box) -> None:
    box.git("rm", "-q", "recordings/bread/extract-v1.1.jsonl")
    box.commit("without")
    (error,) = box.row3("diff", "HEAD", "HEAD~1", code=3).errors
    assert "`HEAD` has no recorded answers" in error
    assert "extract-v1.1: no recording" in error


@pytest.mark.parametrize("wrong", ["v7", "v7.0"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_name_that_means_nothing_is_the_wrong_one(box: Box, wrong: str, *, turned: bool) -> None:
    text = box.read("prompts/extract-v1.0.md")
    box.write("prompts/link-v1.0.md", text.replace("name: extract", "name: link"))
    names = ["v1.0", wrong]
    (error,) = box.row3("diff", *(reversed(names) if turned else names), code=2).errors
    assert wrong in error


@pytest.mark.parametrize("name", ["main", "git:main"])
def test_without_git_it_says_so(box: Box, name: str) -> None:
    (error,) = box.row3("diff", "v1.0", name, code=2, PATH="/nonexistent").errors
    assert "cannot start git" in error
    assert error.endswith("Install git and make sure that it is on PATH.")


def test_the_intervals_have_one_level_in_the_table_and_as_json(first: Box) -> None:
    named = ("decompose-concepts-v1.0", "decompose-concepts-v1.1")
    intervals = first.row3("diff", *named, "--format", "json", code=0).json["intervals"].values()
    assert len(intervals) > 3
    assert {f"{100 * one['level']:.3g}% interval" for one in intervals} == {"90% interval"}
    assert "90% interval" in first.row3("diff", *named, code=0).out


@pytest.mark.parametrize("name", ["git:nosuch", "git:v9.9", f"git:{'a' * 40}"])
def test_advice_on_an_unknown_ref_fits_the_command(box: Box, name: str) -> None:
    (error,) = box.row3("diff", name, "HEAD", code=2).errors
    ref = name.removeprefix("git:")
    fix = f"Correct the name, or run `git fetch origin {ref}` if the remote has it"
    assert error == f"error: {name}: git knows no commit named {ref}. {fix}."
    (error,) = box.row3("--compare", "--against", ref, code=2).errors
    assert error.endswith(f"{fix}; after a force push, compare with the branch: --against origin/main.")


def test_the_page_shows_what_is_printed(first: Box) -> None:
    page = (Path(__file__).parents[2] / "docs/diff.md").read_text("utf-8")
    command, *shown = page.partition("```console\n$ row3 ")[2].partition("```")[0].splitlines()
    printed = first.row3(*command.split(), code=0).out.splitlines()
    assert len(shown) > 5
    assert [line for line in shown if line not in ("", "…") and line not in printed] == []
