"""`row3 investigate` on answers that are wrong in known ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.metrics import Metric
from row3.domain.requests import Answer
from row3.errors import RunIncomplete, UsageError
from row3.gate.policy import GatePolicy
from row3.reports.investigations.model import Finding, Investigation, Question
from row3.store.cases import read_case
from row3.store.project import Project, open_project
from row3.store.recording_lines import merge, to_line
from row3.store.suites import Suite, pick_suite
from row3.workflows.comparing.baseline import save_baseline
from row3.workflows.investigate import fall_of, investigate
from row3.workflows.pipeline.evaluate import steps
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.session import open_session
from tests.projects import CASES, Box, first, flawless, tiny

TEXT = (
    "Rye is a cereal. Salt slows the proofing. Wild yeast drives\nfermentation, and fermentation sours the dough.\n\n"
    "A sourdough depends on wild yeast (Dr. Fermi said so). Kneading comes before proofing! "
    "The lactic acid bacterium lives in sourdough."
)
CASE: dict[str, Any] = {
    "id": "bread",
    "topic": "Bread",
    "sourceText": TEXT,
    "expectedConcepts": [
        {"label": "rye"},
        {"label": "cereal"},
        {"label": "salt"},
        {"label": "proofing"},
        {"label": "wild yeast"},
        {"label": "fermentation"},
        {"label": "lactic acid bacterium", "aliases": ["LAB species"], "required": False},
        {"label": "gluten formation", "inferred": True, "required": False},
        {"label": "sourdough", "aliases": ["leaven"]},
        {"label": "kneading"},
    ],
    "expectedRelationships": [
        {"source": "rye", "target": "cereal", "predicate": "IS_A"},
        {"source": "salt", "target": "proofing", "predicate": "CAUSES"},
        {"source": "sourdough", "target": "wild yeast", "predicate": "REQUIRES"},
        {"source": "kneading", "target": "proofing", "predicate": "PRECEDES"},
        {"source": "wild yeast", "target": "fermentation", "predicate": "CAUSES"},
    ],
    "forbiddenConcepts": ["crumb osmosis"],
    "forbiddenRelationships": [{"source": "proofing", "target": "salt", "predicate": "CAUSES"}],
}
CONCEPTS = [
    ("rye", "Rye is a cereal."),
    ("cereal", ""),
    ("salt", "Salt really slows the proofing."),
    ("proofing", "Bread rises because of enzymes and nothing else"),
    ("wild yeast", "Wild yeast drives fermentation"),
    ("leaven", "A sourdough depends on wild yeast"),
    ("sourdough", "A sourdough depends on wild yeast"),
    ("LAB", "The lactic acid bacterium lives in sourdough."),
    ("crumb osmosis", "x y z"),
    ("dough", "sours the dough"),
    ("moon *phase*", ""),
]
LINKS = [
    ("rye", "CAUSES", "cereal"),
    ("proofing", "CAUSES", "salt"),
    ("wild yeast", "REQUIRES", "sourdough"),
    ("rye", "IS_A", "dough"),
    ("moon *phase*", "PRECEDES", "rye"),
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "golden/bakery"
    folder.mkdir(parents=True)
    (folder / "bread.gold.json").write_text(json.dumps(CASE))
    (folder / "beer.gold.json").write_text(json.dumps(CASE | {"id": "beer"}))
    (tmp_path / "prompts").mkdir()
    for name, output in (("find", "concepts"), ("connect", "relationships")):
        front = f'name: {name}\nversion: "1.0"\noutput: {output}\ntemperature: 0'
        body = "{% block user %}{{ source_text }}{% endblock %}"
        (tmp_path / f"prompts/{name}-v1.0.md").write_text(f"---\n{front}\n---\n{body}\n")
    (tmp_path / "row3.toml").write_text('[provider]\nmodel = "m"\n')
    return open_project(tmp_path)


def _suite(project: Project) -> Suite:
    return pick_suite(project, "bakery")


def record(project: Project, *texts: str, finish_reason: str = "stop") -> None:
    """Record these answers to the case's requests, in the order of the pipeline."""
    suite = _suite(project)
    asking = make_asking(suite, line_up(project, suite, role="candidate"), RunOptions())
    walk = steps(asking, read_case(project.tree, "golden/bakery/bread.gold.json", suite.kind))
    request = next(walk)
    for text in texts:
        answer = Answer(text, finish_reason=finish_reason)
        merge(
            project.root,
            "bakery",
            [to_line(request, answer, recorded_at="2026-01-29T00:00:00Z")],
        )
        try:
            request = walk.send(answer)
        except StopIteration:
            return


def looked_into(project: Project, concepts: Any = None, links: Any = None) -> Investigation:
    found = [{"label": label, "sourceQuote": quote} for label, quote in concepts or CONCEPTS]
    triples = [{"source": a, "predicate": p, "target": b} for a, p, b in LINKS if links is None]
    record(project, json.dumps({"concepts": found}), json.dumps({"relationships": links or triples}))
    return investigate(project, _suite(project), "bread")


def listed(found: Investigation, key: str) -> dict[str, Finding]:
    return {item.label: item for each in found.findings if each.key == key for item in each.items}


def ask(found: Investigation, beginning: str) -> Question:
    return next(q for _, questions in found.checklist for q in questions if q.text.startswith(beginning))


def test_missed_concepts_with_their_place_and_the_nearest_extracted(project: Project) -> None:
    missed = listed(looked_into(project), "missed")
    assert set(missed) == {"fermentation", "lactic acid bacterium", "gluten formation", "kneading"}
    place = missed["fermentation"].place
    assert place is not None
    assert TEXT[place.start : place.end] == "fermentation"
    assert (place.paragraph, place.line) == (1, 2)
    assert place.sentence == "Wild yeast drives\nfermentation, and fermentation sours the dough."
    assert missed["gluten formation"].place is None
    assert missed["gluten formation"].remark == "implied, not stated"
    assert missed["lactic acid bacterium"].other == "LAB"
    assert missed["kneading"].other is None


def test_invented_concepts(project: Project) -> None:
    found = looked_into(project)
    invented = listed(found, "invented")
    assert set(invented) == {"LAB", "crumb osmosis", "dough", "moon *phase*"}
    assert (invented["crumb osmosis"].state, invented["crumb osmosis"].place) == ("canary", None)
    assert invented["dough"].place is not None
    assert listed(found, "duplicates")["sourdough"].other == "sourdough"


def test_wrong_relationships_by_state(project: Project) -> None:
    wrong = listed(looked_into(project), "misdirected")
    assert [(label, item.state) for label, item in wrong.items()] == [
        ("rye CAUSES cereal", "wrong-predicate"),
        ("wild yeast REQUIRES sourdough", "reversed"),
        ("rye IS_A dough", "wrong-end"),
        ("proofing CAUSES salt", "forbidden"),
        ("moon *phase* PRECEDES rye", "unmatched"),
    ]
    item = wrong["wild yeast REQUIRES sourdough"]
    assert item.other == "sourdough REQUIRES wild yeast"
    assert item.place is not None
    assert item.place.sentence == "A sourdough depends on wild yeast (Dr. Fermi said so)."
    assert {item.place.sentence[a:b] for a, b in item.place.marks} == {"sourdough", "wild yeast"}
    assert wrong["moon *phase* PRECEDES rye"].place is None


def test_quotes_that_are_missing_changed_or_made_up(project: Project) -> None:
    quotes = listed(looked_into(project), "quotes")
    assert {label: item.state for label, item in quotes.items()} == {
        "cereal": "missing",
        "salt": "unverified",
        "proofing": "unverified",
        "LAB": "unsupported",
        "crumb osmosis": "unverified",
        "moon *phase*": "missing",
    }
    salt = quotes["salt"]
    assert salt.place is not None
    assert salt.place.sentence == "Salt slows the proofing."
    assert (salt.score or 0) > (quotes["proofing"].score or 0)
    assert quotes["cereal"].place is not None
    assert quotes["moon *phase*"].place is None


def test_missed_relationships_say_whether_an_end_was_missed(project: Project) -> None:
    lost = listed(looked_into(project), "lost")
    assert lost["kneading PRECEDES proofing"].remark == "missed end: kneading"
    assert lost["salt CAUSES proofing"].remark == "both ends were extracted"


def test_the_checklist_is_answered_from_the_data(project: Project) -> None:
    found = looked_into(project)
    assert [title[:3] for title, _ in found.checklist] == ["6.1", "6.2", "6.3", "6.4", "6.5"]
    assert [len(questions) for _, questions in found.checklist] == [5, 5, 5, 4, 4]
    explicit = ask(found, "Are the missed concepts mentioned explicitly")
    assert (explicit.answer, explicit.items) == ("3 of 4", ("fermentation", "lactic acid bacterium", "kneading"))
    assert ask(found, "Do they appear in the forbidden list").items == ("crumb osmosis",)
    assert ask(found, "Was the source/target correct").answer == "1 of 5"
    assert ask(found, "Is the relationship directionally reversed").items == ("wild yeast REQUIRES sourdough",)
    assert ask(found, "Are predicate definitions").items == ("CAUSES for IS_A",)
    assert ask(found, "Is the model temperature").answer == "No, it is 0"
    assert ask(found, "Is the prompt instruction for quoting").answer == "The prompt does not mention quotes"
    assert ask(found, "Should the golden case be updated?").open
    assert not ask(found, "Which concepts lack").open


def test_fixes_follow_from_what_went_wrong(project: Project) -> None:
    fixes = "\n".join(looked_into(project).fixes)
    for words in (
        "3 missed concepts stand in the text, such as `fermentation`",
        "say which form a label takes, `lactic acid bacterium` or `LAB`",
        "only what the text says",
        "copied character by character",
        "define `IS_A` against `CAUSES`",
        "say which end is the source",
        "only what a sentence states",
        "Labels first: 2 of 5",
        "Recall first: 2 of 5",
    ):
        assert words in fixes


def test_the_plan_names_the_commands(project: Project) -> None:
    plan = looked_into(project).plan
    assert plan[0] == "Make the change in `prompts/find-v1.0.md`, which is not promoted."
    assert any("`row3 --case bread --compare`" in step for step in plan)
    assert any("`row3 --compare`" in step for step in plan)


def test_a_flawless_answer_leaves_nothing_to_fix(project: Project) -> None:
    concepts = [(one["label"], "rye" if "inferred" in one else one["label"]) for one in CASE["expectedConcepts"]]
    found = looked_into(project, concepts, CASE["expectedRelationships"])
    assert not any(each.items for each in found.findings)
    assert not any(symptom.failing for symptom in found.symptoms)
    assert [len(questions) for _, questions in found.checklist] == [1, 1, 1, 1, 4]
    assert found.fixes == ()
    assert found.plan[0].startswith("Nothing has to be changed")


def test_an_answer_that_cannot_be_read(project: Project) -> None:
    record(project, '{"concepts": [{"label": "ry', finish_reason="length")
    found = investigate(project, _suite(project), "bread")
    assert (found.status, found.raw) == ("bad_answer", '{"concepts": [{"label": "ry')
    assert "cut off by the token limit" in found.problem
    assert {s.value for s in found.symptoms} <= {0.0, None}
    assert found.fixes[0] == "Raise `max_tokens` of find-v1.0: its answer was cut off."
    assert listed(found, "quotes") == {}


def test_an_answer_that_is_cut_off_and_can_be_read(project: Project) -> None:
    record(project, '{"concepts": []}', '{"relationships": []}', finish_reason="length")
    found = investigate(project, _suite(project), "bread")
    assert "the answer of find-v1.0, connect-v1.0 was cut off" in ask(found, "Is the model truncating").answer


def test_a_case_without_an_answer_is_an_incomplete_run(project: Project) -> None:
    with pytest.raises(RunIncomplete, match="no recording") as error:
        investigate(project, _suite(project), "bread")
    assert error.value.exit_code == 3


def test_an_unknown_case_names_the_near_miss(project: Project) -> None:
    with pytest.raises(UsageError, match="Did you mean `bread`"):
        investigate(project, _suite(project), "braed")
    with pytest.raises(UsageError, match="no case fits `zzzzzz`"):
        investigate(project, _suite(project), "zzzzzz")


def test_beside_the_baseline(project: Project) -> None:
    looked_into(project)
    (project.root / "golden/bakery/beer.gold.json").unlink()
    save_baseline(open_session(project.root, "bakery", RunOptions()))
    again = open_project(project.root)
    found = investigate(again, _suite(again), "bread")
    recall = next(symptom for symptom in found.symptoms if symptom.metric.key == "recall")
    assert (recall.value, recall.baseline) == (0.6, 0.6)
    *_, note = found.notes
    assert note.startswith("Baseline: 20")
    assert note.endswith(", find v1.0, connect v1.0, m.")


# What fell against the baseline beyond the limit

RECALL = Metric("recall", "Recall")
RATE = Metric("rate", "Rate", higher_is_better=False)
POLICY = GatePolicy(metrics=("recall",), limits={"rate": 3.0})
fractions = st.floats(0, 1)


@pytest.fixture
def fallen(tmp_path: Path) -> Box:
    """The baseline finds all of a case, v1.2 three of four concepts: above the target of 70 %, and 25 points lower."""
    box = tiny(tmp_path / "bakery")
    box.row3("--baseline", code=0)  # nothing is promoted: the highest version, which finds everything
    box.prompt("1.2")
    box.record("1.2", {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    return box


def test_a_block_without_a_metric_under_its_target_names_what_fell(fallen: Box) -> None:
    assert "Concept recall is worse by 25.0 points" in fallen.row3("--compare", code=1).out
    out = fallen.row3("investigate", "yeast", code=0).out
    failing = next(line for line in out.splitlines() if line.startswith("**Failing Metric(s)**"))
    assert "Concept recall (fell 25.0 points, limit 5)" in failing
    assert "--compare --mode auto`: Concept recall at least 95.0%" in out
    value = fallen.row3("investigate", "yeast", "--format", "json", code=0).json
    assert (value["failing"], value["fell"][0]["metric"], value["fell"][0]["limit"]) == ([], "recall", 5.0)


def test_the_limits_are_those_of_the_command_and_the_suite(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--fail", "recall:30,f1:30", code=0).out
    assert "Concept recall (" not in out
    fallen.write("row3.toml", fallen.read("row3.toml") + '\n[suites.bread.gate]\nunit = "relative"\nblock = 10\n')
    out = fallen.row3("investigate", "yeast", code=0).out
    assert "Concept recall (fell 25.0% of the baseline, limit 10)" in out


def test_a_case_edited_since_the_baseline_is_noted(fallen: Box) -> None:
    *_, note = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["notes"]
    assert note.startswith("Baseline: 20")
    fallen.case("yeast", created="2026-01-02")
    *_, edited = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["notes"]
    assert edited == note.removesuffix(".") + "; the golden case has changed since."


def test_where_nothing_fell_there_is_nothing_to_change(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--prompt", "extract-v1.1", code=0).out
    well = "every metric reaches its target, and none is worse than the baseline by more than its limit"
    assert f"**Failing Metric(s)**: none: {well}" in out
    assert f"1. Nothing has to be changed: {well}." in out
    assert "2. " not in out[out.index("### Verification Plan") :]


def test_a_fall_within_the_limit_and_one_without_a_second_side_are_none() -> None:
    assert fall_of(RECALL, 0.9, 0.85, POLICY) is None
    assert fall_of(RECALL, None, 0.1, POLICY) is None
    assert fall_of(RECALL, 0.9, None, POLICY) is None


def test_a_rate_falls_upwards_by_a_limit_of_its_own() -> None:
    fall = fall_of(RATE, 0.0, 0.04, POLICY)
    assert fall is not None
    assert (round(fall.worse, 9), fall.limit, fall.least) == (4.0, 3.0, 0.03)


@given(fractions, fractions, st.sampled_from([RECALL, RATE]), st.sampled_from(["points", "relative"]))
def test_the_least_is_within_the_limit_and_what_fell_is_beyond_it(
    before: float, now: float, metric: Metric, unit: str
) -> None:
    policy = GatePolicy(unit=unit)
    fall = fall_of(metric, before, now, policy)
    if fall is None:
        return
    assert fall.worse > fall.limit
    assert (now < fall.least) == metric.higher_is_better
    assert fall_of(metric, before, fall.least, policy) is None
