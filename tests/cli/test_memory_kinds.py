"""The suites of a memory system on the command line: the loop, scoring, lint, and what they cannot do."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from row3.kinds import kind_named
from tests.memory import ITEMS, KINDS, PRIMARY, PROMPTS, SEED, answers, document, emptied, memory, prompt, record, write
from tests.projects import HOME, Box, copy_of
from tests.rows import every_row

STRANGE: dict[str, dict[str, Any]] = {
    "events": {"category": "Decision", "description": "nothing of the sort"},
    "entities": {"name": "nothing of the sort", "type": "ORG"},
    "retrieval": {"id": "nothing of the sort"},
    "graph": {"document_id": "nothing of the sort"},
}
MEMORY = HOME / "golden" / "memory"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Perfect recordings of v1.0 for every suite, in git."""
    box = memory(tmp_path_factory.mktemp("memory") / "project")
    for kind in KINDS:
        record(box, kind, "1.0", answers(kind))
    box.init()
    return box


project = copy_of("begun")


@pytest.mark.parametrize("kind", KINDS)
def test_the_loop(project: Box, kind: str) -> None:
    run = project.row3("--suite", kind, "--format", "json", code=0).json
    less = ("precision_at_3",)  # one query has two relevant documents, the other one
    assert run["metrics"][PRIMARY[kind]] == 1.0
    assert {run["metrics"][key] for key in run["zones"] if key not in less} == {1.0}
    project.row3("--suite", kind, "--baseline", code=0)
    same = project.row3("--suite", kind, "--compare", "--format", "json", code=0).json
    assert (same["verdict"], same["reasons"]) == ("proceed", [])
    promoted = project.row3("promote", "v1.0", "--suite", kind, code=0)
    assert f"{PROMPTS[kind]} v1.0 is promoted" in promoted.out
    assert project.path(f"charts/{kind}-trend.svg").is_file()
    title = next(metric.title for metric in kind_named(kind, where="").metrics if metric.key == PRIMARY[kind])
    assert f"| {title} | 100% |" in project.read("CHANGELOG.md")

    prompt(project, kind, "1.1")
    record(project, kind, "1.1", emptied(kind))
    worse = project.row3("--suite", kind, "--compare", "--format", "json").json
    assert worse["metrics"][PRIMARY[kind]] == 0.0
    assert worse["deltas"][PRIMARY[kind]] == -1.0
    lost = {key for case in worse["cases"] for key in case["lost"]}
    assert lost == {f"missed{ITEMS[kind].capitalize()}"}
    if kind == "graph":  # V7: no metric of expansion blocks a release
        assert worse["verdict"] == "investigate"
        assert {reason["code"] for reason in worse["reasons"]} == {"worse", "in_fail_zone"}
    else:
        assert worse["verdict"] == "block"
        project.row3("promote", "v1.1", "--suite", kind, code=1)

    for form in ("table", "markdown", "junit", "github"):
        shown = project.row3("--suite", kind, "--compare", "--format", form, code=0 if kind == "graph" else 1)
        assert shown.out.strip()
        if form == "junit":
            assert ET.fromstring(shown.out).iter("testcase")
    title = next(metric.title for metric in kind_named(kind, where="").metrics if metric.key == PRIMARY[kind])
    assert title in project.row3("history", "--suite", kind, code=0).out
    for command in ("power", "cases", "flaky"):
        assert project.row3(command, "--suite", kind, code=0).out.startswith(kind)
    if kind == "retrieval":
        looked = project.row3("investigate", "q1", "--suite", kind, code=0).out
        assert re.search(r"^Query +When do we ship\?$", looked, re.MULTILINE)
        as_json = project.row3("investigate", "q1", "--suite", kind, "--format", "json", code=0).json
        assert as_json["cases"][0]["query"] == "When do we ship?"
    diff = project.row3("diff", "baseline", f"{PROMPTS[kind]}-v1.1", "--suite", kind, code=0)
    assert re.search(rf"{ITEMS[kind]}? lost", diff.out)
    project.row3("recordings", "verify", code=0)


def test_a_suite_reads_the_folder_it_names_and_the_hook_judges_it(project: Box) -> None:
    assert project.row3("lint", code=0).out.endswith("nothing found\n")
    for kind in KINDS:
        project.row3("--suite", kind, "--baseline", code=0)
    project.commit("baselines")
    project.row3("hook", "install", code=0)
    weaker = document("m1")
    del weaker["expected_events"][1]
    write(project, "golden/memory/documents/m1.gold.json", weaker)
    project.git("add", "-A")
    refused = project.git("commit", "-m", "weaker", code=None)
    assert refused.code != 0
    assert "golden case m1: event test the pump was removed" in " ".join(refused.err.split())
    against = project.row3("--compare", "--against", "HEAD", "--suite", "retrieval", code=0)
    assert "PROCEED" in against.out
    project.row3("hook", "uninstall", code=0)
    project.git("reset", "-q", "--hard")
    project.write("row3.toml", project.read("row3.toml") + "\n[suites.graph.gate]\nblock = 4\n")
    for kind in ("graph", "retrieval"):
        lines = project.read(f"recordings/{kind}/{PROMPTS[kind]}-v1.0.jsonl").splitlines(keepends=True)
        project.write(f"recordings/{kind}/{PROMPTS[kind]}-v1.0.jsonl", "".join(lines[1:]))
    project.git("add", "-A")
    told = project.row3("hook", "run", "pre-commit", code=3).err
    assert max(len(line) for line in told.splitlines()) <= 80
    assert "row3 --compare --all --mode auto && git add recordings" in told


def test_a_path_over_an_entity_that_the_documents_are_labelled_with(project: Box) -> None:
    over = {"document_id": "m2", "connection_reason": "shared_entity", "entity": "Bob Smith"}
    record(project, "graph", "1.0", {"g1": {"connections": [over]}})
    project.path("golden/memory/documents/linking/both.gold.json").unlink()  # it labels both documents again

    def hop_accuracy() -> Any:
        return project.row3("--suite", "graph", "--format", "json", code=0).json["metrics"]["hop_accuracy"]

    assert hop_accuracy() == 1.0
    project.row3("--suite", "graph", "--baseline", code=0)
    project.commit("baseline")
    fewer = document("m2")
    del fewer["expected_entities"][1]
    write(project, "golden/memory/documents/m2.gold.json", fewer)
    assert hop_accuracy() == 0.0
    told = project.row3("--suite", "graph", "--compare", "--against", "HEAD", "--format", "json").json
    assert "rule entities.m2" in {reason["subject"] for reason in told["reasons"]}
    write(project, "golden/memory/documents/m1.gold.json", document("m1") | {"expected_entities": []})
    project.git("add", "-A")
    assert "graph" in project.row3("hook", "run", "pre-commit").err
    write(project, "golden/memory/documents/m1.gold.json", document("m1") | {"document": ""})
    assert "m1.gold.json" in project.row3("--suite", "graph", code=2).errors[0]


QUERY = {"id": "q1", "query": "?", "relevant_documents": [{"id": "m3", "relevance": 1}]}
STRANGER = SEED["expected_connections"][0] | {"entity": "Zoe Zimmer"}


@pytest.mark.parametrize(
    ("name", "value", "rule", "said"),
    [
        (
            "queries/q1",
            {"id": "q1", "query": "?", "relevant_documents": [{"id": "m3", "relevance": 1}]},
            "unknown-document",
            "`m3`",
        ),
        ("graph/g1", SEED | {"seed_document": "m9"}, "unknown-document", "`m9`"),
        ("graph/g1", SEED | {"expected_connections": [STRANGER]}, "unknown-entity", "`Zoe Zimmer`"),
    ],
)
def test_lint_names_what_is_wrong_and_where(project: Box, name: str, value: Any, rule: str, said: str) -> None:
    write(project, f"golden/memory/{name}.gold.json", value)
    found = project.row3("lint", "--format", "json", code=2).json["findings"]
    mine = [each for each in found if each["rule"] == rule]
    assert mine, found
    assert mine[0]["file"].startswith("golden/memory/")
    assert said in mine[0]["message"]
    assert mine[0]["line"] > 0


@pytest.mark.parametrize(
    ("many", "field", "line"), [(False, "expected_connections", 4), (True, "cases.1.expected_connections", 15)]
)
def test_lint_names_the_case_that_lacks_a_connection(project: Box, many: bool, field: str, line: int) -> None:
    lacking = {"id": "g2", "seed_document": "m2", "expected_connections": [], "expected_not_connected": ["m1"]}
    other = {"id": "g3", "seed_document": "m3", "expected_connections": [], "expected_not_connected": ["m1"]}
    file = f"golden/memory/graph/{'cases' if many else 'g2.gold'}.json"
    write(project, file, {"version": "1.0", "cases": [other, lacking]} if many else lacking)
    found = project.row3("lint", "--format", "json").json["findings"]
    assert [(each["file"], each["field"], each["line"]) for each in found if each["rule"] == "one-way"] == [
        (file, field, line)
    ]


@pytest.mark.parametrize("settings", [None, "", 'suite = "events"\n'])
def test_a_baseline_whose_suite_has_lost_its_settings(project: Box, settings: str | None) -> None:
    project.row3("--suite", "events", "--baseline", code=0)
    cases = project.path("golden/memory/documents")
    cases.rename(project.path("golden/events"))
    if settings is None:
        project.path("row3.toml").unlink()
    else:
        project.write("row3.toml", settings)
    (error,) = project.row3("--compare", "--suite", "events", code=2).errors
    lacking = "is missing" if settings is None else "has no [suites.events]"
    assert f"as row3.toml {lacking}. Restore it in row3.toml" in error
    assert "--baseline" not in error


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_looked_into(project: Box, kind: str) -> None:
    given = answers(kind)
    case = next(iter(given))
    items = given[case][ITEMS[kind]]
    lost = items.pop()
    prompt(project, kind, "1.1")
    record(project, kind, "1.1", given | {case: {ITEMS[kind]: [*items, STRANGE[kind]]}})
    name = str(next(lost[key] for key in ("description", "name", "document_id", "id") if key in lost))
    value = project.row3("investigate", case, "--suite", kind, "--format", "json", code=0).json
    faults = [(one["part"], one["label"]) for one in value["cases"][0]["faults"]]
    assert ("missed", name) in faults
    assert next(part for part, label in faults if label == "nothing of the sort") in ("extra", "evidence")
    shown = project.row3("investigate", case, "--suite", kind, code=0).out
    assert re.search(rf"^(Missing|Relevant) .* 1 of {len(items) + 1}\b", shown, re.MULTILINE)

    record(project, kind, "1.1", given | {case: "<b>no</b> idea"})
    found = project.row3("investigate", case, "--suite", kind, code=0).out
    assert "The answer could not be used" in found
    assert "<b>no</b> idea" in found.split("It begins:")[1]
    assert "no case matches `nobody`" in project.row3("investigate", "nobody", "--suite", kind, code=2).errors[0]


@every_row("kind", KINDS)
def test_what_is_for_extraction_says_so(project: Box, kind: str) -> None:
    done = project.row3("aliases", "review", "--list", "--suite", kind, code=2)
    assert f"of kind `{kind}`, which has no aliases" in done.errors[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("weights = { recall = 1.0 }", "no composite"),
        ("[suites.events.predicates]\nallowed = []", "kind `events` does not use it"),
        ("thresholds = { f2 = { minimum = 0, target = 0, excellent = 0 } }", "not a metric of this kind"),
        ('pipeline = ["search"]', "not an output of kind `events`"),
    ],
)
def test_settings_that_would_move_nothing(project: Box, line: str, said: str) -> None:
    project.replace("row3.toml", 'kind = "events"', f'kind = "events"\ngolden = "memory/documents"\n{line}')
    text = project.read("row3.toml")
    head, tail = text.split(line)
    project.write("row3.toml", head + line + tail.replace('golden = "memory/documents"\n', "", 1))
    done = project.row3("--suite", "events", code=2)
    assert said in done.errors[0]


@pytest.mark.parametrize("kind", ["retrieval", "graph"])
def test_a_kind_that_compares_ids_matches_nothing_by_meaning(project: Box, kind: str) -> None:
    setting = f'[suites.{kind}.matching]\nsemantic = {{ model = "local" }}\n'
    project.write("row3.toml", project.read("row3.toml") + setting)
    done = project.row3("--suite", kind, code=2)
    assert f"field suites.{kind}.matching.semantic: kind `{kind}` does not use it" in done.errors[0]


@pytest.mark.parametrize("folder", ["../elsewhere", "/tmp", "memory//documents", "memory/documents/", "."])
def test_a_folder_outside_of_golden(project: Box, folder: str) -> None:
    project.replace("row3.toml", 'golden = "memory/graph"', f'golden = "{folder}"')
    assert "suites.graph.golden" in project.row3("--suite", "graph", code=2).errors[0]


def test_a_kind_without_a_prompt_says_what_can_be_done(project: Box) -> None:
    project.path("prompts/search-v1.0.md").unlink()
    done = project.row3("--suite", "retrieval", code=2)
    assert "no prompt has an output of kind `retrieval`" in done.errors[0]
    assert "row3 score retrieval --outputs" in done.errors[0]


def test_the_shipped_corpus_scores_its_own_labels_as_perfect(tmp_path: Path) -> None:
    """What the labels say is what the scorer takes for right: evidence, dates, actors, links, mentions, paths."""
    box = Box(tmp_path / "project")
    shutil.copytree(HOME / "golden" / "memory", box.path("golden/memory"))
    shutil.copy(HOME / "row3.toml", box.path("row3.toml"))
    golden: dict[str, list[dict[str, Any]]] = {
        folder: [json.loads(path.read_text()) for path in sorted((MEMORY / folder).rglob("*.gold.json"))]
        for folder in ("documents", "queries", "graph")
    }
    assert [len(golden[folder]) for folder in ("documents", "queries", "graph")] == [56, 44, 16]
    given: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    for case in golden["documents"]:
        name = case.get("document_id") or case["case_id"]
        given["entities"][name] = {"entities": case["expected_entities"]}
        given["events"][name] = {"events": [one | {"group": one.get("same_as")} for one in case["expected_events"]]}
    for case in golden["queries"]:
        best = sorted(case["relevant_documents"], key=lambda one: -one["relevance"])
        given["retrieval"][case["id"]] = {"results": best}
    for case in golden["graph"]:
        given["graph"][case["id"]] = {"connections": case["expected_connections"]}
    for kind in KINDS:
        lines = [{"caseId": name, "output": output} for name, output in given[kind].items()]
        box.write("outputs.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        metrics = box.row3("score", kind, "--outputs", "outputs.jsonl", "--format", "json", code=0).json["metrics"]
        lower = {"categories_normalised", "duplicate_rate", "false_positive_rate"}
        short = {key for key, value in metrics.items() if value != float(key not in lower)}
        assert short <= {"precision_at_3", "recall_at_10"}, "some queries have fewer than three relevant, one eleven"


@every_row("kind", KINDS)
def test_two_commits_are_compared_though_the_cases_lie_deeper(project: Box, kind: str) -> None:
    (first, *_) = project.row3("diff", "main", "main", "--suite", kind, code=0).out.splitlines()
    assert first.startswith(f"row3 diff · {kind}: main (git ")
