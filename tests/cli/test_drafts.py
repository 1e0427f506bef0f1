"""Golden cases that are drafts: linted, and never scored, gated or counted; and `row3 cases new`, which writes them."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CASES, Box, tiny
from tests.rows import every_row


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """Three cases, two of them compared by hand-made answers, and the draft of a fourth."""
    box = tiny(tmp_path / "project")
    box.path("prompts/extract-v1.1.md").unlink()
    box.init()
    box.row3("--baseline", code=0)
    box.commit("baseline")
    return box


def drafted(box: Box, case_id: str = "malted") -> None:
    box.case(case_id, draft=True, sourceText="Salt slows yeast.", expectedConcepts=[], expectedRelationships=[])


class TestNeverScored:
    def test_a_draft_is_in_no_run_and_in_no_baseline(self, box: Box) -> None:
        drafted(box)
        found = box.row3("--format", "json", code=0).json
        assert sorted(each["id"] for each in found["cases"]) == sorted(CASES)
        box.row3("--baseline", code=0)
        assert "malted" not in box.read("baselines/bread.json")

    def test_adding_one_is_no_change_of_the_criteria(self, box: Box) -> None:
        drafted(box)
        found = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
        assert found["verdict"] == "proceed"
        assert "malted" not in json.dumps(found)

    def test_a_case_that_becomes_one_is_removed_and_blocks(self, box: Box) -> None:
        box.case("rye", draft=True)
        found = box.row3("--compare", "--against", "HEAD", "--format", "json", code=1).json
        assert any("rye" in json.dumps(reason) for reason in found["reasons"])

    def test_choosing_only_drafts_is_one_error(self, box: Box) -> None:
        drafted(box)
        done = box.row3("--case", "mal*", code=2)
        assert "only drafts match `mal*` (malted), and a draft is never scored" in " ".join(done.err.split())
        found = box.row3("--case", "*", "--format", "json", code=0).json
        assert sorted(each["id"] for each in found["cases"]) == sorted(CASES)

    def test_a_suite_of_drafts_has_no_case(self, box: Box) -> None:
        for case_id in CASES:
            box.case(case_id, draft=True)
        done = box.row3(code=2)
        assert "every golden case of the suite is a draft" in done.errors[0]

    def test_quarantine_counts_cases_without_drafts(self, box: Box) -> None:
        for number in range(10):
            drafted(box, f"draft-{number}")
        days = {"since": str(date.today()), "until": str(date.today() + timedelta(days=7)), "reason": "wavers"}
        entries = [{"case": case_id, **days} for case_id in ("rye", "yeast")]
        box.write("golden/bread/quarantine.json", json.dumps({"schemaVersion": 1, "cases": entries}))
        assert "2 of 3 cases are in quarantine" in box.row3(code=2).errors[0]


class TestLint:
    def found(self, box: Box) -> list[dict[str, Any]]:
        done = box.row3("lint", "--format", "json")
        findings: list[dict[str, Any]] = done.json["findings"]
        return findings

    def test_it_says_that_it_is_one_and_what_is_missing(self, box: Box) -> None:
        before = self.found(box)
        drafted(box)
        new = [each for each in self.found(box) if each not in before]
        assert [(each["rule"], each["level"], each["field"]) for each in new] == [("draft", "warning", "draft")]
        assert new[0]["message"].endswith("Missing: `expectedConcepts` is empty")

    def test_what_the_standards_ask_for_is_missing_where_the_suite_is_held_to_them(self, box: Box) -> None:
        box.write("row3.toml", box.read("row3.toml") + '\n[suites.bread]\nstandards = "row3"\n')
        drafted(box)
        (found,) = [each for each in self.found(box) if each["rule"] == "draft"]
        assert "3 words, should be 300 to 800" in found["message"]


class TestNew:
    def new(self, box: Box, *args: str, code: int = 0, stdin: str | None = None) -> Any:
        return box.row3("cases", "new", *args, code=code, stdin=stdin)

    def test_from_a_file(self, box: Box) -> None:
        box.write("notes.txt", "Malt feeds yeast – and sweetens.\n")
        done = self.new(box, "Malt & yeast", "--from-text", "notes.txt")
        assert done.out == "golden/bread/malt-yeast.gold.json\n"
        assert json.loads(box.read("golden/bread/malt-yeast.gold.json")) == {
            "schemaVersion": 1,
            "id": "malt-yeast",
            "draft": True,
            "topic": "Malt & yeast",
            "sourceText": "Malt feeds yeast – and sweetens.",
            "expectedConcepts": [],
            "expectedRelationships": [],
            "forbiddenConcepts": [],
        }

    def test_it_names_the_schema_that_the_project_has(self, box: Box) -> None:
        box.row3("schema", code=0)
        self.new(box, "malt", "--text", "-", stdin="Malt feeds yeast.")
        assert json.loads(box.read("golden/bread/malt.gold.json"))["$schema"] == "../../schemas/golden-case.schema.json"

    def test_the_input_has_the_names_that_the_prompt_uses(self, tmp_path: Path) -> None:
        box = Box(tmp_path / "tickets")
        box.root.mkdir()
        box.row3("init", "--kind", "checks", code=0)
        self.new(box, "vat", "--text", "-", stdin="Where is our VAT number?\n")
        assert json.loads(box.read("golden/checks/vat.gold.json"))["input"] == {"ticket": "Where is our VAT number?"}
        box.write("golden/checks/vat.gold.json", '{"id": "vat", "input": "Where?", "checks": [{"contains": "x"}]}')
        assert "'ticket' is undefined" in box.row3("lint", code=2).out
        assert "case vat: the template uses an undefined name" in box.row3("--dry-run", code=2).err

    @pytest.mark.parametrize(
        ("kind", "wanted"),
        [
            ("events", {"document_id": "memo_1", "title": "memo 1", "document": "Mira leads.", "expected_events": []}),
            ("entities", {"document_id": "memo_1", "document": "Mira leads.", "expected_entities": []}),
            ("checks", {"id": "memo_1", "input": "Mira leads.", "checks": []}),
        ],
    )
    def test_of_every_kind_with_a_text(self, box: Box, kind: str, wanted: dict[str, Any]) -> None:
        box.write("row3.toml", box.read("row3.toml") + f'\n[suites.{kind}]\nkind = "{kind}"\n')
        text = json.dumps({"document_id": "first", "document": "Text.", "expected_events": [], "expected_entities": []})
        box.write(f"golden/{kind}/first.gold.json", '{"id": "first", "input": "x"}' if kind == "checks" else text)
        self.new(box, "memo_1", "--suite", kind, "--from-text", "-", stdin="Mira leads.")
        value = json.loads(box.read(f"golden/{kind}/memo_1.gold.json"))
        assert {key: value.get(key) for key in wanted} == wanted
        assert value["draft"] is True
        rules = [
            each["rule"] for each in box.row3("lint", "--format", "json").json["findings"] if "memo_1" in each["file"]
        ]
        assert rules == ["draft"]

    def test_nothing_is_overwritten(self, box: Box) -> None:
        before = box.tree()
        done = self.new(box, "Rye", "--from-text", "-", stdin="Rye.", code=2)
        assert "the case `Rye` exists already" in done.errors[0]
        assert box.tree() == before

    @every_row(
        ("args", "stdin", "said"),
        [
            (("malt",), "", "either --from-text or --from-trace"),
            (("malt", "--from-text", "-", "--from-trace", "x"), "", "either --from-text or --from-trace"),
            (("malt", "--from-text", "gone.txt"), "", "gone.txt"),
            (("malt", "--from-text", "-"), " \n", "the text is empty"),
            (("…", "--from-text", "-"), "Malt.", "`…` cannot become an id"),
            (("malt", "--suite", "bred", "--from-text", "-"), "Malt.", "`bread`"),
        ],
    )
    def test_what_cannot_be_is_one_message(self, box: Box, args: tuple[str, ...], stdin: str, said: str) -> None:
        before = box.tree()
        done = self.new(box, *args, stdin=stdin, code=2)
        assert said in " ".join(done.err.split())
        assert box.tree() == before

    def test_a_kind_without_a_text(self, box: Box) -> None:
        box.write("row3.toml", box.read("row3.toml") + '\n[suites.search]\nkind = "retrieval"\n')
        box.write("golden/search/q.gold.json", '{"id": "q", "query": "Who?", "relevant_documents": []}')
        done = self.new(box, "malt", "--suite", "search", "--from-text", "-", stdin="Malt.", code=2)
        assert "a case of kind retrieval needs more than a text" in done.errors[0]


RECORD = {
    "id": "t-1",
    "at": "2026-11-01T10:00:00Z",
    "topic": "Malt",
    "version": "1.0",
    "model": "baker-1",
    "latencyMs": 10,
    "costUsd": 0.01,
    "error": None,
    "sourceText": "Malt feeds yeast.",
    "concepts": [{"label": "malt"}],
    "relationships": [],
}


class TestFromTrace:
    @pytest.fixture
    def kept(self, box: Box) -> Box:
        box.write("row3.toml", box.read("row3.toml") + '\n[monitor]\nkeep = "all"\n')
        lines = [RECORD, RECORD | {"id": "t-2", "sourceText": None}]
        box.write("records.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        box.row3("monitor", "ingest", "records.jsonl", code=0)
        return box

    def test_a_record_s_text_becomes_a_draft_that_names_it(self, kept: Box) -> None:
        kept.row3("cases", "new", "malt", "--from-trace", "t-1", code=0)
        value = json.loads(kept.read("golden/bread/malt.gold.json"))
        assert (value["sourceText"], value["origin"]) == ("Malt feeds yeast.", "production record t-1")
        assert value["topic"] == "Malt"
        assert value["expectedConcepts"] == []  # written from the text, not from the answer

    @pytest.mark.parametrize(("record", "said"), [("t-2", "has no source text"), ("t-3", "there is no record `t-3`")])
    def test_what_has_no_text(self, kept: Box, record: str, said: str) -> None:
        done = kept.row3("cases", "new", "malt", "--from-trace", record, code=2)
        assert said in done.errors[0]
        assert not kept.path("golden/bread/malt.gold.json").exists()

    def test_one_that_holds_a_key(self, kept: Box) -> None:
        done = kept.row3("cases", "new", "malt", "--from-trace", "t-1", OPENAI_API_KEY="feeds yeast", code=2)
        assert "contains the value of OPENAI_API_KEY" in done.errors[0]
        assert not kept.path("golden/bread/malt.gold.json").exists()

    def test_one_of_which_only_figures_are_kept(self, kept: Box) -> None:
        kept.replace("row3.toml", 'keep = "all"', "sample = 0.0")
        kept.write("more.jsonl", json.dumps(RECORD | {"id": "t-4"}) + "\n")
        kept.row3("monitor", "ingest", "more.jsonl", code=0)
        done = kept.row3("cases", "new", "malt", "--from-trace", "t-4", code=2)
        assert "only the figures of record" in done.errors[0]
