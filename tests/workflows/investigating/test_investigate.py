"""`row3 investigate` on answers that are wrong in known ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from row3.kinds.extraction.investigation import Investigation

from row3.domain.matches import Triple
from row3.domain.requests import Answer
from row3.errors import RunIncomplete, UsageError
from row3.matching.normalise import normalise, normalise_text
from row3.matching.texts.places import find_in_text
from row3.reports.investigations.checklist import Question, checklist
from row3.reports.investigations.fixes import proposed_fixes, verification_plan
from row3.store.cases import read_case
from row3.store.project import Project, open_project
from row3.store.recordings import merge, to_line
from row3.store.suites import Suite, pick_suite
from row3.workflows.comparing.baseline import save_baseline
from row3.workflows.investigating.investigate import investigate
from row3.workflows.pipeline.evaluate import steps
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.session import open_session

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


def ask(found: Investigation, beginning: str) -> Question:
    return next(q for _, questions in checklist(found) for q in questions if q.text.startswith(beginning))


def test_missed_concepts_with_their_place_and_the_nearest_extracted(project: Project) -> None:
    missed = {item.label: item for item in looked_into(project).missed}
    assert set(missed) == {"fermentation", "lactic acid bacterium", "gluten formation", "kneading"}
    place = missed["fermentation"].place
    assert place is not None
    assert TEXT[place.start : place.end] == "fermentation"
    assert (place.paragraph, place.line) == (1, 2)
    assert place.sentence == "Wild yeast drives\nfermentation, and fermentation sours the dough."
    assert missed["gluten formation"].place is None
    assert missed["gluten formation"].inferred
    assert missed["lactic acid bacterium"].nearest == "LAB"
    assert missed["kneading"].nearest is None


def test_invented_concepts(project: Project) -> None:
    found = looked_into(project)
    invented = {item.label: item for item in found.invented}
    assert set(invented) == {"LAB", "crumb osmosis", "dough", "moon *phase*"}
    assert (invented["crumb osmosis"].state, invented["crumb osmosis"].place) == ("canary", None)
    assert invented["dough"].place is not None
    assert found.duplicates == (("sourdough", "sourdough"),)


def test_misdirected_relationships_by_kind(project: Project) -> None:
    wrong = {item.triple: item for item in looked_into(project).misdirected}
    assert {str(triple): item.state for triple, item in wrong.items()} == {
        "rye CAUSES cereal": "wrong-predicate",
        "proofing CAUSES salt": "forbidden",
        "wild yeast REQUIRES sourdough": "reversed",
        "rye IS_A dough": "wrong-end",
        "moon *phase* PRECEDES rye": "unmatched",
    }
    item = wrong[Triple("wild yeast", "REQUIRES", "sourdough")]
    assert item.expected == Triple("sourdough", "REQUIRES", "wild yeast")
    assert item.place is not None
    assert item.place.sentence == "A sourdough depends on wild yeast (Dr. Fermi said so)."
    assert {item.place.sentence[a:b] for a, b in item.place.marks} == {"sourdough", "wild yeast"}
    assert wrong[Triple("moon *phase*", "PRECEDES", "rye")].place is None


def test_quotes_that_are_missing_changed_or_made_up(project: Project) -> None:
    quotes = {item.label: item for item in looked_into(project).quotes}
    assert {label: item.state for label, item in quotes.items()} == {
        "cereal": "missing",
        "salt": "unverified",
        "proofing": "unverified",
        "crumb osmosis": "unverified",
        "moon *phase*": "missing",
    }
    salt = quotes["salt"]
    assert salt.place is not None
    assert salt.place.sentence == "Salt slows the proofing."
    assert salt.similarity > quotes["proofing"].similarity
    assert quotes["cereal"].place is not None
    assert quotes["moon *phase*"].place is None


def test_missed_relationships_say_whether_an_end_was_missed(project: Project) -> None:
    lost = {str(item.triple): item.missed_ends for item in looked_into(project).lost}
    assert lost["kneading PRECEDES proofing"] == ("kneading",)
    assert lost["salt CAUSES proofing"] == ()


def test_the_checklist_is_answered_from_the_data(project: Project) -> None:
    found = looked_into(project)
    assert [title[:3] for title, _ in checklist(found)] == ["6.1", "6.2", "6.3", "6.4", "6.5"]
    assert [len(questions) for _, questions in checklist(found)] == [5, 5, 5, 4, 4]
    explicit = ask(found, "Are the missed concepts mentioned explicitly")
    assert (explicit.answer, explicit.items) == ("3 of 4", ("fermentation", "lactic acid bacterium", "kneading"))
    assert ask(found, "Do they appear in the forbidden list").items == ("crumb osmosis",)
    assert ask(found, "Was the source/target correct").answer == "1 of 5"
    assert ask(found, "Is the relationship directionally reversed").items == ("wild yeast REQUIRES sourdough",)
    assert ask(found, "Are predicate definitions").items == ("CAUSES for IS_A",)
    assert ask(found, "Is the model temperature").answer == "No, it is 0"
    assert ask(found, "Is the prompt instruction for quoting").answer == "The prompt does not speak of quotes"
    assert ask(found, "Should the golden case be updated?").open
    assert not ask(found, "Which concepts lack").open


def test_fixes_follow_from_what_went_wrong(project: Project) -> None:
    fixes = "\n".join(proposed_fixes(looked_into(project)))
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
    plan = list(verification_plan(looked_into(project), []))
    assert any("`row3 --case bread --compare`" in step for step in plan)
    assert any("`row3 --compare`" in step for step in plan)


def test_a_flawless_answer_leaves_nothing_to_mend(project: Project) -> None:
    concepts = [(one["label"], "Rye is a cereal.") for one in CASE["expectedConcepts"]]
    found = looked_into(project, concepts, CASE["expectedRelationships"])
    assert (found.missed, found.invented, found.misdirected, found.lost, found.quotes) == ((), (), (), (), ())
    assert not any(symptom.failing for symptom in found.symptoms)
    assert proposed_fixes(found) == ["Nothing went wrong in this case."]


def test_an_answer_that_cannot_be_read(project: Project) -> None:
    record(project, '{"concepts": [{"label": "ry', finish_reason="length")
    found = investigate(project, _suite(project), "bread")
    assert (found.status, found.raw) == ("bad_answer", '{"concepts": [{"label": "ry')
    assert "cut off by the token limit" in found.problem
    assert {s.value for s in found.symptoms} == {0.0}
    assert proposed_fixes(found)[0] == "Raise `max_tokens` of find-v1.0: its answer was cut off."
    assert found.quotes == ()


def test_a_case_without_an_answer_is_an_incomplete_run(project: Project) -> None:
    with pytest.raises(RunIncomplete, match="no recording") as error:
        investigate(project, _suite(project), "bread")
    assert error.value.exit_code == 3


def test_an_unknown_case_names_the_near_miss(project: Project) -> None:
    with pytest.raises(UsageError, match="Did you mean `bread`"):
        investigate(project, _suite(project), "braed")
    with pytest.raises(UsageError, match="Cases: beer, bread"):
        investigate(project, _suite(project), "zzzzzz")


def test_another_case_that_is_broken_does_not_matter(project: Project) -> None:
    ((project.root / project.golden("bakery")) / "a.gold.json").write_text("{")
    assert looked_into(project).case_id == "bread"


def test_beside_the_baseline(project: Project) -> None:
    looked_into(project)
    (project.root / "golden/bakery/beer.gold.json").unlink()
    save_baseline(open_session(project.root, "bakery", RunOptions()))
    again = open_project(project.root)
    found = investigate(again, _suite(again), "bread")
    recall = next(symptom for symptom in found.symptoms if symptom.metric.key == "recall")
    assert (recall.value, recall.baseline) == (0.6, 0.6)
    (note,) = found.notes
    assert note.startswith("Baseline: 20")
    assert note.endswith(", find v1.0, connect v1.0, m.")


# --- places ---


@pytest.mark.parametrize(
    ("text", "name", "there", "paragraph", "line"),
    [
        ("Rye is a cereal.", "CEREAL", "cereal", 1, 1),
        ("One.\n\nTwo ryes.\nThree rye fields.", "rye", "rye", 2, 4),
        ("The eﬃcient ﬂow", "efficient flow", "eﬃcient ﬂow", 1, 1),
        ("Lender’s “last – resort”", "lenders last resort", "Lender’s “last – resort", 1, 1),
        ("cafe\u0301 noir", "café", "cafe\u0301", 1, 1),
        ("soft\u00adware tests", "software", "soft\u00adware", 1, 1),
        ("a well-known\n  fact", "well known fact", "well-known\n  fact", 1, 1),
        ("It costs 5 % of C++", "c++", "C++", 1, 1),
        ("Ｆｕｌｌ width", "full", "Ｆｕｌｌ", 1, 1),
        ("한글 is Korean", "한글", "한글", 1, 1),
    ],
)
def test_a_place_is_told_in_the_text_as_it_is(text: str, name: str, there: str, paragraph: int, line: int) -> None:
    place = find_in_text(text, name)
    assert place is not None
    assert text[place.start : place.end] == there
    assert (place.paragraph, place.line) == (paragraph, line)
    assert there in place.sentence


@pytest.mark.parametrize("name", ["barley", "", "…", "ye", "cereal rye"])
def test_no_place(name: str) -> None:
    assert find_in_text("Rye is a cereal.", name) is None


def test_sentences_end_where_readers_see_an_end() -> None:
    text = 'He (e.g. Dr. Fermi) said "stop." Then J. Smith left? Yes, at 3.5 points. "Why?" she asked.'
    for name, sentence in [
        ("fermi", 'He (e.g. Dr. Fermi) said "stop."'),
        ("smith", "Then J. Smith left?"),
        ("points", "Yes, at 3.5 points."),
        ("she asked", '"Why?" she asked.'),
    ]:
        place = find_in_text(text, name)
        assert place is not None
        assert place.sentence == sentence


@given(st.text(max_size=60), st.integers(0, 8), st.integers(1, 4))
def test_every_word_of_the_normalised_text_is_found_where_it_came_from(text: str, first: int, count: int) -> None:
    words = normalise_text(text).split(" ")
    name = " ".join(words[first : first + count])
    assume(name and normalise(name) == name)
    place = find_in_text(text, name)
    assert place is not None
    assert name in normalise_text(text[place.start : place.end])
    assert 0 <= place.start < place.end <= len(text)
    assert place.sentence in text
