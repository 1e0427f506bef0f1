"""Kind `outcome` by the command line: two systems or two models, recorded with their judge, compared and replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box
from tests.rows import every_row

SUITE = "outcome"
QUOTE = "Bob: Complete API refactor by March 25th"
DOCUMENT = f"Minutes of Monday.\n{QUOTE}.\nAnn: nothing new.\n"
CASES: list[dict[str, Any]] = [
    {
        "id": "ve_001",
        "question": "What has Bob to do, and when?",
        "required_facts": [
            {
                "fact_id": "api",
                "claim": "Bob completes the API refactor by March 25th",
                "must_cite": [{"doc": "meetings/meeting_001.txt", "quote_contains": "API refactor by March 25th"}],
            }
        ],
        "forbidden_claims": ["Bob writes the docs"],
    },
    {"id": "ve_002", "question": "What does Ann earn?", "required_facts": [], "forbidden_claims": ["Ann earns 10"]},
]
ANSWER = """---
name: answer
version: "1.0"
output: cited-answer
---
{% block user %}{{ question }} FOUND {{ found | tojson }}{% endblock %}
"""
PLAIN = ANSWER.replace(" FOUND {{ found | tojson }}", "")
RUBRIC = """---
name: judge-outcome
version: "1.0"
output: judgement
---
{% block system %}Compare two answers.{% endblock %}
{% block user %}{{ question }} BASELINE {{ baseline.answer }} FULL {{ full.answer }}{% endblock %}
"""
SYSTEM = """
import json, sys
from pathlib import Path

def search(question, deep):
    text = (Path(__file__).parent / "golden/texts/meetings/meeting_001.txt").read_text()
    return {"hits": [text] if deep == "yes" else []}

if __name__ == "__main__":
    json.dump(search(**json.load(sys.stdin)), sys.stdout)
"""
ARMS = {
    "command": 'type = "command"\nversion = "1.0"\ncommand = "python"\nargs = ["system.py"]\n',
    "python": 'type = "python"\nversion = "1.0"\ncallable = "system:search"\n',
}
GOOD = {"answer": "The API refactor by March 25th.", "citations": [{"doc": "meeting_001", "quote": QUOTE}]}
BARE = {"answer": "I do not know.", "citations": []}
NOT_STATED = {"answer": "not stated", "citations": []}


def grades(points: int, *missing: str) -> dict[str, Any]:
    each = dict.fromkeys(("correctness", "completeness", "evidence"), points)
    return each | {"hallucination": 2, "missing_facts": list(missing), "unsupported_claims": []}


class Desk(ChatServer):
    """Answers by what was found, or by the model's name, and judges whichever arm stands where."""

    def __init__(self) -> None:
        self.answered: list[Any] = []
        self.judged: list[Any] = []
        self.broken = ""
        """The judge's answer in place of a judgement."""
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        said = "\n".join(message["content"] for message in body["messages"])
        judged = body["model"].startswith("judge")
        with self.lock:
            (self.judged if judged else self.answered).append(body)
        if not judged:
            good = "API refactor" in said or body["model"] == "strong"
            return FakeReply(json.dumps(NOT_STATED if "earn" in said else GOOD if good else BARE))
        baseline, full = said.split(" BASELINE ")[1].split(" FULL ")
        value = {
            "case_id": "x",
            "baseline": grades(0 if "do not know" in baseline else 2),
            "full": grades(0 if "do not know" in full else 2),
            "delta": {"full_beats_baseline": True, "notes": "n"},
        }
        return FakeReply(self.broken or json.dumps(value))


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.stop()


def outcome_box(root: Path, desk: Desk, arms: str, prompt: str = ANSWER) -> Box:
    """A suite of two cases in V7.1's `cases.json`, and a document; nothing is recorded yet."""
    box = Box(root)
    box.write(
        "row3.toml",
        f'suite = "{SUITE}"\nmode = "replay"\n\n[provider]\npreset = "vllm"\nbase_url = "{desk.url}"\nmodel = "weak"\n'
        f'max_retries = 0\n\n[judge]\nmodel = "judge-1"\n\n[suites.{SUITE}]\nkind = "outcome"\ndocuments = "texts"\n'
        f'pipeline = ["answer"]\n{arms}',
    )
    box.write("golden/outcome/value_eval/cases.json", json.dumps({"version": "1.0", "cases": CASES}, indent=1) + "\n")
    box.write("golden/texts/meetings/meeting_001.txt", DOCUMENT)
    box.write("prompts/answer-v1.0.md", prompt)
    box.write("prompts/judge-outcome-v1.0.md", RUBRIC)
    box.write("system.py", SYSTEM)
    return box


def systems(kind: str) -> str:
    """Two arms that search, the first of them without result."""
    return "".join(
        f'\n[suites.{SUITE}.arms.{arm}.provider]\n{ARMS[kind]}name = "search-{arm}"\noutput = "found"\n'
        f'arguments = {{ question = "{{question}}", deep = "{deep}" }}\n'
        for arm, deep in (("baseline", "no"), ("full", "yes"))
    )


MODELS = f'\n[suites.{SUITE}.arms.full.provider]\nmodel = "strong"\n'


def metrics(result: Mapping[str, Any]) -> dict[str, float]:
    kept = ("valueWinRate", "passRate", "evidenceRate", "hallucinationRate", "ties", "positionBias")
    return {key: result["metrics"][key] for key in kept}


BETTER = {
    "valueWinRate": 0.5, "passRate": 1.0, "evidenceRate": 1.0, "hallucinationRate": 0.0, "ties": 0.5,
    "positionBias": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(ARMS))
def test_two_systems_are_recorded_by_stage_and_replayed_without_them(tmp_path: Path, desk: Desk, kind: str) -> None:
    box = outcome_box(tmp_path / "project", desk, systems(kind))
    assert "nothing found" in box.row3("lint", code=0).out
    plan = box.row3("--dry-run", "--mode", "record", "--format", "json", code=0).json
    # Of each case two searches, two answers, and a judgement in both orders.
    assert plan["toSend"] == 12
    result = box.row3("--baseline", "--mode", "record", "--format", "json", code=0).json
    assert metrics(result) == BETTER
    # In ve_002 both arms say the same, so both orders are one question.
    assert (len(desk.answered), len(desk.judged)) == (4, 3)
    assert result["prompts"] == {"search-baseline": "v1.0", "answer": "v1.0", "search-full": "v1.0"}
    names = {path.stem for path in box.path(f"recordings/{SUITE}").iterdir()}
    assert names == {"search-baseline-v1.0", "search-full-v1.0", "answer-v1.0", "judge-outcome-v1.0"}
    box.path("system.py").unlink()
    box.init()
    compared = box.row3("--compare", "--format", "json", code=0).json
    assert (compared["verdict"], metrics(compared)) == ("proceed", BETTER)
    assert compared["usage"]["replayed"] == compared["usage"]["requests"]
    assert box.row3("--compare", "--against", "main", "--format", "json", code=0).json["verdict"] == "proceed"
    assert "recordings are in order" in box.row3("recordings", "verify", code=0).out
    assert "0 removed" in box.row3("recordings", "prune", code=0).out
    assert "No case has two answers" in box.row3("flaky", code=0).out
    assert "Value win rate" in box.row3("leaderboard", code=0).out
    page = box.row3("investigate", "ve_001", code=0).out
    assert "Failure Investigation: ve_001" in page
    box.row3("report", "--out", "r.html", code=0)


def test_two_models_answer_and_a_weaker_one_is_seen(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    result = box.row3("--baseline", "--mode", "record", "--format", "json", code=0).json
    assert metrics(result) == BETTER
    assert result["model"] == "weak, strong"
    assert {body["model"] for body in desk.answered} == {"weak", "strong"}
    box.init()
    assert metrics(box.row3("--compare", "--format", "json", code=0).json) == BETTER
    box.replace("row3.toml", 'model = "strong"', 'model = "feeble"')
    assert box.row3("--compare", code=3).errors
    worse = box.row3("--compare", "--mode", "record", "--format", "json").json
    assert worse["deltas"]["evidenceRate"] == -1
    assert worse["deltas"]["valueWinRate"] == -0.5
    assert worse["verdict"] == "block"
    (case,) = [each for each in worse["cases"] if each["id"] == "ve_001"]
    assert case["lost"] == {"missedFacts": ["Bob completes the API refactor by March 25th"]}
    github = box.row3("--compare", "--format", "github", code=1).out
    assert "file=golden/outcome/value_eval/cases.json,title=row3%3A regressed::" in github
    assert 'name="ve_001"' in box.row3("--compare", "--format", "junit", code=1).out
    assert "1 fact lost" in box.row3("--compare", "--format", "markdown", code=1).out
    assert "0 removed" in box.row3("recordings", "prune", code=0).out


def test_an_arm_has_prompts_of_its_own(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, f'\n[suites.{SUITE}.arms.full]\npipeline = ["explain"]\n', PLAIN)
    helped = PLAIN.replace("name: answer", "name: explain").replace("{{ question }}", "{{ question }} API refactor?")
    box.write("prompts/explain-v1.0.md", helped)
    result = box.row3("--baseline", "--mode", "record", "--format", "json", code=0).json
    assert result["prompts"] == {"answer": "v1.0", "explain": "v1.0"}
    assert metrics(result) == BETTER
    assert metrics(box.row3("--compare", "--format", "json", code=0).json) == BETTER


def test_a_judgement_made_elsewhere_is_scored_without_a_model(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    judgement = {"baseline": grades(0, "api"), "full": grades(2), "delta": {"full_beats_baseline": False}}
    outputs = [
        {"caseId": "ve_001", "output": {"baseline": BARE, "full": GOOD, "judgement": judgement}},
        {"caseId": "ve_002", "output": {"baseline": NOT_STATED, "full": NOT_STATED, "judgement": judgement}},
    ]
    box.write("out.jsonl", "".join(json.dumps(each) + "\n" for each in outputs))
    done = box.row3("score", SUITE, "--outputs", "out.jsonl", "--format", "json", code=0).json
    assert done["metrics"]["valueWinRate"] == 1  # of ve_002 the judgement names a fact that the case does not have
    assert done["denominators"]["valueWinRate"] == 1
    # By hand: of 1 of 1, Wilson's interval begins at 1 / (1 + 1.95996²).
    assert done["intervals"]["valueWinRate"]["low"] == pytest.approx(0.20655, abs=1e-5)
    assert done["matchCounts"]["judgements"] == {"failed": 1, "given": 1}
    assert not desk.judged


@pytest.mark.parametrize(
    "said",
    [
        "The full system is better.",
        json.dumps({"baseline": grades(0, "unknown_fact"), "full": grades(2), "delta": {}}),
        json.dumps({"baseline": grades(3), "full": grades(2), "delta": {}}),
    ],
)
def test_a_judgement_that_cannot_be_used_makes_the_run_incomplete(tmp_path: Path, desk: Desk, said: str) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    desk.broken = said
    result = box.row3("--mode", "record", "--format", "json", code=3).json
    assert result["failed"] == ["ve_001", "ve_002"]
    assert "valueWinRate" not in result["metrics"]
    assert result["metrics"]["evidenceRate"] == 1  # what code checks does not hang on the judge


def test_cases_of_one_file_are_cases_of_their_own(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    file = "golden/outcome/value_eval/cases.json"
    other = CASES[1] | {"forbidden_claims": ["Ann earns 10", "Ann earns 20"]}
    box.write(file, json.dumps({"version": "1.1", "cases": [other, CASES[0]]}))  # the order says nothing
    against = ("--compare", "--against", "main", "--format", "json")
    box.row3(*against, code=0)  # the judge is told other claims, and one missing grade stops nobody
    result = box.row3(*against, "--mode", "auto", code=0).json
    found = {(each["code"], each["subject"]) for each in result["reasons"] if each["code"].startswith("criteria")}
    assert found == {("criteria_added", "case ve_002 forbidden:ann earns 20")}
    box.write(file, json.dumps({"version": "1.1", "cases": CASES[:1]}))
    result = box.row3("--compare", "--against", "main", "--format", "json", code=1).json
    assert ("criteria_removed", "case ve_002") in {(each["code"], each["subject"]) for each in result["reasons"]}
    own = CASES[1] | {"id": "ve_003", "question": "What does Bob earn?"}
    box.write("golden/outcome/ve_003.gold.json", json.dumps(own))
    assert box.row3("--format", "json").json["failed"] == ["ve_003"]


def test_a_document_is_part_of_the_criteria(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    box.write("golden/texts/meetings/meeting_001.txt", DOCUMENT.replace("25th", "26th"))
    box.git("add", "-A")
    result = box.row3("--compare", "--against", "main", "--format", "json").json
    codes = {(each["code"], each["subject"]) for each in result["reasons"]}
    assert ("criteria_changed", "rule document.meeting_001") in codes
    assert "row3: outcome against" in box.row3("hook", "run", code=0).err


def test_two_documents_of_one_name_are_refused(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, systems("python"))
    box.write("golden/texts/emails/Meeting_001.txt", "Another text.\n")
    done = box.row3("--mode", "replay", code=2)
    (error,) = done.errors
    assert "golden/texts/meetings/meeting_001.txt" in error
    assert "also in golden/texts/emails/Meeting_001.txt" in error


def test_lint_names_evidence_that_is_not_there(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    box.replace("golden/outcome/value_eval/cases.json", 'API refactor by March 25th"\n', 'API refactor by May"\n')
    done = box.row3("lint", code=2)
    assert "cases.json" in done.out
    assert "cases.0.required_facts.0.must_cite.0" in done.out
    assert "does not occur in" in done.out
    box.write("golden/outcome/value_eval/cases.json", '{"version": "1.0"}')
    assert "`cases` is not a list" in box.row3("lint", code=2).out
    assert "`cases` is not a list" in box.row3("--mode", "record", code=2).errors[0]


def test_events_beside_it_stay_diagnostics(first: Box) -> None:
    """V7.1: the suites below the answer are looked at, and block nothing."""
    first.row3("--baseline", "--suite", "events", code=0)
    text = first.read("prompts/extract-events-v1.0.md")
    first.write("prompts/extract-events-v1.1.md", text.replace('version: "1.0"', 'version: "1.1"') + "{# worse #}\n")
    ids = [path.name.removesuffix(".gold.json") for path in first.path("golden/memory/documents").rglob("*.gold.json")]
    lines = ({"caseId": each, "prompt": "extract-events-v1.1", "response": '{"events": []}'} for each in ids)
    first.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    first.replace("prompts/extract-events-v1.1.md", "{% block user %}", "{% block user %}Be brief. ")
    first.row3("recordings", "import", "answers.jsonl", "--suite", "events", code=0)
    first.row3("--compare", "--suite", "events", code=1)
    first.write("row3.toml", first.read("row3.toml") + "\n[suites.events.gate]\ninformational = true\n")
    result = first.row3("--compare", "--suite", "events", "--format", "json", code=0).json
    assert result["verdict"] == "block"
    assert not result["blocked"]


def arms_of_prompts(root: Path, desk: Desk) -> Box:
    """Two arms that differ in their prompts alone; only `fullp` leads to an answer with evidence."""
    pipelines = "".join(
        f'\n[suites.{SUITE}.arms.{arm}]\npipeline = ["{name}"]\n'
        for arm, name in (("baseline", "base"), ("full", "fullp"))
    )
    box = outcome_box(root, desk, pipelines, PLAIN)
    box.replace("row3.toml", 'pipeline = ["answer"]\n', "")
    box.path("prompts/answer-v1.0.md").unlink()
    box.write("prompts/base-v1.0.md", PLAIN.replace("name: answer", "name: base"))
    write_fullp(box, "1.0")
    return box


def write_fullp(box: Box, version: str) -> None:
    text = PLAIN.replace("name: answer", "name: fullp").replace('"1.0"', f'"{version}"')
    box.write(
        f"prompts/fullp-v{version}.md", text.replace("{{ question }}", f"{{{{ question }}}} API refactor {version}")
    )


def promoted(box: Box) -> dict[str, str]:
    entries = json.loads(box.read("prompts/promoted.json"))["prompts"]
    return {name: entry["version"] for name, entry in entries.items()}


@pytest.mark.parametrize("version", ["base-v1.0", "fullp-v1.0", "v1.0"])
def test_prompts_of_arms_are_promoted(tmp_path: Path, desk: Desk, version: str) -> None:
    box = arms_of_prompts(tmp_path / "project", desk)
    box.row3("--mode", "record", code=0)
    box.row3("promote", version, code=0)
    assert promoted(box) == {"base": "v1.0", "fullp": "v1.0"}
    write_fullp(box, "1.1")
    result = box.row3("--prompt", "fullp-v1.1", "--mode", "record", "--format", "json", code=0).json
    assert result["prompts"] == {"base": "v1.0", "fullp": "v1.1"}
    box.row3("promote", "fullp-v1.1", code=0)
    assert promoted(box) == {"base": "v1.0", "fullp": "v1.1"}
    assert box.row3("--all", "--prompt", "base-v1.0", "--format", "json", code=0).json
    box.row3("lint", code=0)


def test_arms_without_a_pipeline_ask_the_prompts_of_the_kind(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, systems("python"), ANSWER)
    box.replace("row3.toml", 'pipeline = ["answer"]\n', "")
    box.row3("--baseline", "--mode", "record", code=0)
    assert metrics(box.row3("--compare", "--format", "json", code=0).json) == BETTER
    box.row3("promote", "v1.0", code=0)
    assert promoted(box)["answer"] == "v1.0"


def test_a_prompt_of_no_arm_is_refused(tmp_path: Path, desk: Desk) -> None:
    box = arms_of_prompts(tmp_path / "project", desk)
    box.write("prompts/answer-v1.0.md", PLAIN)
    box.replace("row3.toml", 'pipeline = ["base"]\n', "")  # an arm without a pipeline asks all prompts of the kind
    assert "2 of 2 cases have no answer" in box.row3("--prompt", "answer-v1.0", code=3).err
    box.replace(
        "row3.toml", "[suites.outcome.arms.baseline]\n", '[suites.outcome.arms.baseline]\npipeline = ["base"]\n'
    )
    for command in (("promote", "answer-v1.0"), ("--prompt", "answer-v1.0")):
        assert "prompt `answer` is not in the pipeline of suite `outcome`" in box.row3(*command, code=2).errors[0]
    box.replace("row3.toml", 'pipeline = ["base"]\n', 'pipeline = ["bass"]\n')
    assert "prompt `bass` has no version" in box.row3(code=2).errors[0]


def test_a_changed_arm_answers_by_the_criteria_of_the_base_too(tmp_path: Path, desk: Desk) -> None:
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    box.replace("row3.toml", 'model = "strong"', 'model = "feeble"')
    box.row3("--mode", "record", code=0)
    result = box.row3("--compare", "--against", "main", "--format", "json", code=1).json
    assert result["deltas"]["evidenceRate"] == -1


@every_row(
    ("cases", "missing", "complete"),
    [(1, 1, True), (4, 1, True), (4, 2, False), (39, 2, False), (40, 2, True), (59, 3, False), (60, 3, True)],
)
def test_two_missing_judgements_above_5_percent_make_a_run_incomplete(
    tmp_path: Path, desk: Desk, cases: int, missing: int, complete: bool
) -> None:
    """STRATEGY: an evaluation does not fail because a judge does."""
    box = outcome_box(tmp_path / "project", desk, MODELS, PLAIN)
    known = [CASES[1] | {"id": f"c{number}", "question": f"Question {number}?"} for number in range(cases)]
    box.write("golden/outcome/value_eval/cases.json", json.dumps({"version": "1.0", "cases": known}))
    good = {"baseline": grades(0), "full": grades(2), "delta": {}}
    answers = {"baseline": BARE, "full": NOT_STATED}
    lines = [
        {"caseId": case["id"], "output": answers | {"judgement": good if number >= missing else "I would rather not"}}
        for number, case in enumerate(known)
    ]
    box.write("out.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    done = box.row3("score", SUITE, "--outputs", "out.jsonl", "--format", "json", code=0 if complete else 3).json
    assert (done["complete"], len(done["failed"])) == (complete, 0 if complete else missing)
    assert done["denominators"].get("valueWinRate", 0) == cases - missing  # left out of every mean
    assert done["metrics"].get("valueWinRate", 1.0) == 1.0
    items = done["cases"][0]["matches"]["items"]
    assert {(item["state"], item["score"]) for item in items} == {("not-judged", 0.5)}
