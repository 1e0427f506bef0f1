"""Judges over real HTTP: what they are sent, how often, and what becomes of judges that fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import FakeReply
from tests.projects import Box
from tests.support_desk import BAD, CHECKS, GOOD, JUDGE, Desk, desk_box, draft, graded

HOSTILE = [json.loads(line) for line in Path("tests/data/hostile_answers.jsonl").read_text("utf-8").splitlines()]
JUDGED = {case_id: [*checks, {"judge": "helpfulness"}] for case_id, checks in CHECKS.items()}
MARK = re.compile(
    r"<[|\uff5c]|\[/?INST\]|</?s>|<</?SYS>>|<(?:start|end)_of_turn>|[\x00-\x08\x0b-\x1f\u200b\u202e\u2066]"
)
Judge = Callable[[str], FakeReply | str]
Start = Callable[..., tuple[Desk, Box]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Makes a desk with its project, and ends it."""
    desks: list[Desk] = []

    def make(judge: Judge, answers: Mapping[str, Mapping[str, str]] | None = None, **how: Any) -> tuple[Desk, Box]:
        desk = Desk(answers or {"1.0": GOOD, "1.1": BAD}, judge)
        desks.append(desk)
        given = {"checks": JUDGED, "rubrics": ("helpfulness",)} | how
        return desk, desk_box(tmp_path / f"project-{len(desks)}", desk, **given)

    yield make
    for desk in desks:
        desk.stop()


def by_content(said: str) -> str:
    """A judge that knows the good answers."""
    return graded(90) if "Paris" in said or "receipt" in said else graded(10, "says nothing")


def many(count: int) -> dict[str, Any]:
    """Questions, checks and answers of so many cases, of which the first few can be told apart."""
    ids = [f"q{number:02}" for number in range(count)]
    return {
        "questions": {case_id: f"Question {case_id}?" for case_id in ids},
        "checks": {case_id: [{"contains": "yes"}, {"judge": "helpfulness"}] for case_id in ids},
    }


def answers_of(count: int, text: str) -> dict[str, str]:
    return {f"Question q{number:02}?": f"{text} q{number:02}" for number in range(count)}


class TestAsked:
    def test_a_judge_is_asked_for_the_rubrics_schema_and_recorded_once(self, start: Start) -> None:
        desk, box = start(by_content)
        run = box.row3("--baseline", "--mode", "record", "--format", "json", code=0).json
        assert run["metrics"]["judgedRate"] == pytest.approx(0.9)
        assert len(desk.judged) == len(desk.answered) == 2
        for body in desk.judged:
            assert (body["model"], body["temperature"]) == (JUDGE, 0)
            schema = body["response_format"]["json_schema"]["schema"]
            assert set(schema["properties"]) == {"score", "issues", "strengths"}
            assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert all("response_format" not in body for body in desk.answered)  # an answer may be anything
        again = box.row3("--format", "json", code=0).json
        assert again["metrics"] == run["metrics"]
        assert (again["usage"]["judgements"], again["usage"]["replayed"]) == (2, 4)
        assert len(desk.judged) == 2
        assert "recordings are in order" in box.row3("recordings", "verify", code=0).out.replace("warning", "")
        assert "0 removed, 4 kept" in box.row3("recordings", "prune", code=0).out

    def test_identical_answers_are_judged_once_whoever_gave_them(self, start: Start) -> None:
        desk, box = start(by_content, {"1.0": GOOD, "1.1": GOOD})
        box.row3("--baseline", "--mode", "record", "--repeats", "3", code=0)
        assert (len(desk.answered), len(desk.judged)) == (6, 2)
        desk.judged.clear()
        draft(box, "1.1")
        result = box.row3("--compare", "--mode", "record", "--repeats", "2", "--format", "json", code=0).json
        assert len(desk.judged) == 2  # both sides, both rounds
        assert result["deltas"]["judgedRate"] == 0
        assert box.row3("--compare", "--repeats", "2", "--format", "json", code=0).json["complete"]

    def test_three_votes_of_two_models(self, start: Start) -> None:
        grades = iter([90, 80, 10] * 10)
        desk, box = start(
            lambda _: graded(next(grades)), settings='judge = { models = ["judge-a", "judge-b"], votes = 3 }\n'
        )
        run = box.row3("--mode", "record", "--jobs", "1", "--format", "json", code=0).json
        assert len(desk.judged) == 2 * 6
        assert {body["model"] for body in desk.judged} == {"judge-a", "judge-b"}
        item = next(each for each in run["cases"][0]["matches"]["items"] if each["type"] == "judge")
        assert (item["score"], item["agreement"]) == (pytest.approx(0.8), pytest.approx(4 / 6))

    def test_the_judges_own_endpoint_gets_the_judges_requests_and_its_key_alone(self, start: Start) -> None:
        desk, box = start(by_content)
        other = Desk({}, by_content)
        try:
            box.replace("row3.toml", "[judge]\n", f'[judge]\nbase_url = "{other.url}"\nkey_variable = "GRADER_KEY"\n')
            box.replace("row3.toml", "max_retries = 0\n", 'max_retries = 0\nkey_variable = "DESK_KEY"\n')
            keys = {"DESK_KEY": "sk-desk-11112222333344445555", "GRADER_KEY": "sk-judge-99998888777766665555"}
            box.row3("--baseline", "--mode", "record", code=0, **keys)
            assert (len(desk.answered), len(desk.judged)) == (2, 0)
            assert (len(other.answered), len(other.judged)) == (0, 2)
            assert set(desk.keys) == {f"Bearer {keys['DESK_KEY']}"}
            assert set(other.keys) == {f"Bearer {keys['GRADER_KEY']}"}
        finally:
            other.stop()
        for path in box.root.rglob("*"):
            if path.is_file():
                assert not any(key.encode() in path.read_bytes() for key in keys.values()), path

    def test_a_dry_run_counts_the_judges_requests(self, start: Start) -> None:
        desk, box = start(by_content)
        flags = ("--dry-run", "--mode", "record", "--format", "json")
        plan = box.row3(*flags, code=0).json
        assert plan["toSend"] == 4
        assert [each["exact"] for each in plan["list"]] == [True, False] * 2
        assert not desk.answered
        box.row3("--mode", "record", code=0)
        plan = box.row3("--dry-run", "--mode", "auto", "--format", "json", code=0).json
        assert (plan["requests"], plan["recorded"], plan["toSend"]) == (4, 4, 0)

    def test_grades_are_not_to_be_imported(self, start: Start) -> None:
        desk, box = start(by_content)
        box.row3("--mode", "record", code=0)
        box.replace("row3.toml", "[judge]\n", f'[judge]\nbase_url = "{desk.url}"\nkey_variable = "GRADER_KEY"\n')
        box.replace("row3.toml", "max_retries = 0\n", 'max_retries = 0\nkey_variable = "DESK_KEY"\n')
        judge = box.path("prompts/helpfulness-v1.0.md")
        judge.write_text(judge.read_text().replace("{{ answer }}", "Answer: {{ answer }}"))
        (error,) = box.row3("--mode", "auto", code=2).errors
        plan = box.row3("--dry-run", "--mode", "auto", code=0).out
        for text in (error, plan):
            assert "et GRADER_KEY, or name a provider" in text
            assert "recordings import" not in text
        for path in box.path("recordings").rglob("*.jsonl"):
            path.unlink()
        plan = box.row3("--dry-run", "--mode", "auto", code=0).out
        assert "set DESK_KEY, or" in plan and "recordings import" in plan

    def test_a_budget_needs_the_judges_price(self, start: Start) -> None:
        _, box = start(by_content)
        box.write("row3.toml", box.read("row3.toml") + "\n[prices.desk-1]\ninput = 1\noutput = 1\n")
        # A service on this machine that needs no key would be free.
        box.replace("row3.toml", "[judge]\n", '[judge]\nkey_variable = "GRADER_KEY"\n')
        done = box.row3("--mode", "record", "--max-cost", "1", code=2)
        assert f"`{JUDGE}`" in done.errors[0]


BROKEN: dict[str, Judge] = {
    "prose": lambda _: "I would say this is quite good.",
    "300": lambda _: graded(300),
    "no score": lambda _: json.dumps({"issues": [], "strengths": []}),
    "500": lambda _: FakeReply(status=500, body=b'{"error": {"message": "broken"}}'),
    "429": lambda _: FakeReply(status=429, body=b'{"error": {"message": "slow down"}}'),
    "too slow": lambda _: FakeReply(graded(90), wait_s=5),
}


class TestFailing:
    @pytest.mark.parametrize("how", sorted(BROKEN))
    def test_a_judge_that_fails_makes_the_run_incomplete_and_lifts_nothing(self, start: Start, how: str) -> None:
        _, box = start(BROKEN[how], settings="judge = { max_retries = 0, timeout_s = 0.5 }\n")
        done = box.row3("--mode", "record", "--format", "json", code=3)
        assert not done.json["complete"]
        assert done.json["failed"] == ["capital", "refund"]
        assert "judgedRate" not in done.json["metrics"]
        assert done.json["matchCounts"]["judgements"] == {"failed": 2}
        for case in done.json["cases"]:
            item = next(each for each in case["matches"]["items"] if each["type"] == "judge")
            assert (item["state"], item["score"]) == ("not-judged", 0.5)
            assert item["reason"].startswith("no grade: ")
        incomplete = box.row3("--baseline", "--mode", "record", code=3)
        shown = " ".join(f"{incomplete.out} {incomplete.err}".split())
        assert "no grade" in shown
        assert "no answer" not in shown and "without an answer" not in shown

    @pytest.mark.parametrize("command", [("--mode", "live"), ("--compare", "--mode", "live")], ids=" ".join)
    def test_what_continues_asks_only_for_the_grades(self, start: Start, command: tuple[str, ...]) -> None:
        desk, box = start(by_content, settings="judge = { max_retries = 0 }\n")
        box.row3("--baseline", "--mode", "live", code=0)
        desk.judge = BROKEN["500"]
        desk.judged.clear()
        box.row3(*command, code=3)
        failed, asked = len(desk.judged), len(desk.answered)
        desk.judge = by_content
        assert box.row3(*command, "--continue").code in (0, 1)
        assert (len(desk.judged), len(desk.answered)) == (2 * failed, asked)

    def test_a_failed_judgement_hides_no_drop_and_makes_none(self, start: Start) -> None:
        """The judge fails for the worst answer of the candidate: the case is out on both sides."""

        def judge(said: str) -> str:
            if "no q00" in said:
                return "cannot say"
            return graded(100) if "yes" in said else graded(0)

        worse = answers_of(20, "yes") | {"Question q00?": "no q00", "Question q01?": "no q01"}
        _, box = start(judge, {"1.0": answers_of(20, "yes"), "1.1": worse}, **many(20))
        box.row3("--baseline", "--mode", "record", code=0)
        draft(box, "1.1")
        result = box.row3("--compare", "--mode", "record", "--format", "json").json
        assert result["complete"]
        assert result["baseline"]["metrics"]["judgedRate"] == 1.0
        assert result["deltas"]["judgedRate"] == pytest.approx(-1 / 19)
        again = box.row3("--compare", "--format", "json").json
        assert (again["deltas"], again["verdict"]) == (result["deltas"], result["verdict"])

    def test_too_many_failed_judgements_stop_a_comparison(self, start: Start) -> None:
        desk, box = start(by_content, {"1.0": GOOD, "1.1": GOOD | {"capital": GOOD["capital"] + " "}})
        box.row3("--baseline", "--mode", "record", code=0)
        draft(box, "1.1")
        desk.judge = lambda _: "no idea"
        done = box.row3("--compare", "--mode", "record", "--no-interleave", "--format", "json", code=3).json
        assert done["failed"] == ["capital", "refund"]
        assert not done["complete"]
        assert "no_answer" in {reason["code"] for reason in done["reasons"]}
        box.row3("promote", "v1.1", code=3)


class TestHostile:
    def test_no_answer_ends_its_fence_or_changes_the_speaker(self, start: Start) -> None:
        assert len(HOSTILE) == 40
        texts = {f"h{at:02}": each["answer"] * each.get("times", 1) for at, each in enumerate(HOSTILE)}
        desk, box = start(
            lambda _: graded(0, "asks for a grade"),
            {"1.0": texts},
            questions={case_id: case_id for case_id in texts},
            checks={case_id: [{"judge": "helpfulness"}] for case_id in texts},
        )
        run = box.row3("--mode", "record", "--format", "json", code=0).json
        assert run["metrics"]["judgedRate"] == 0
        assert len(desk.judged) == 40
        for body in desk.judged:
            system, user = body["messages"]
            assert (system["role"], user["role"]) == ("system", "user")
            (tag,) = set(re.findall(r"<(data-[0-9a-f]{12})>(?= and )", system["content"]))
            said = user["content"]
            assert system["content"].endswith("Grade the answer, harshly.")
            assert not MARK.search(said)
            pieces = re.split(f"(</?{tag}>)", said)
            assert pieces[1::2] == [f"<{tag}>", f"</{tag}>"] * (len(pieces) // 4)
            outside = "".join(pieces[0::4])
            assert re.fullmatch(r"Asked: \nExpected: null\nAnswer: \nAs data: (null|[\d.]+)?", outside), outside
        assert box.row3("--format", "json", code=0).json["usage"]["replayed"] == 80
