"""Kind `checks` through every command, as a user would go: recorded, compared, promoted, reported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import row3
from row3.domain.asks import pack
from row3.running import asks
from tests.browsers import browser, open_page
from tests.embedding_server import EmbeddingServer
from tests.projects import HOME, Box
from tests.support_desk import BAD, CHECKS, GOOD, QUESTIONS, SUITE, Desk, desk_box, draft, graded

ASK = {case_id: [*checks, {"judge": "helpfulness"}] for case_id, checks in CHECKS.items()}


def by_content(said: str) -> str:
    return graded(90) if "Paris" in said or "receipt" in said else graded(10, "says nothing")


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """v1.0 answers well, v1.1 badly, v1.2 well."""
    made = Desk({"1.0": GOOD, "1.1": BAD, "1.2": GOOD}, by_content)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def saved(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """v1.0 is recorded, promoted and committed on main; a rubric judges."""
    box = desk_box(tmp_path_factory.mktemp("desk") / "project", desk, checks=ASK, rubrics=("helpfulness",))
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


@pytest.fixture
def box(saved: Box, tmp_path: Path) -> Box:
    copy = saved.copy(tmp_path / "project")
    copy.git("checkout", "-q", "-b", "work")
    return copy


def reasons(result: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Verdict by code and subject."""
    return {(each["code"], each["subject"]): each["verdict"] for each in result["reasons"]}


def compared(box: Box, *args: str, code: int) -> Any:
    return box.row3("--compare", *args, "--format", "json", code=code).json


class TestLoop:
    def test_a_worse_prompt_is_blocked_by_every_door(self, box: Box) -> None:
        draft(box, "1.1")
        assert box.row3("--compare", code=3).errors
        result = compared(box, "--mode", "record", code=1)
        assert reasons(result)["worse", "passRate"] == "block"
        assert result["metrics"]["passRate"] == 0
        assert compared(box, code=1)["verdict"] == "block"
        assert compared(box, "--against", "main", code=1)["verdict"] == "block"
        junit = box.row3("--compare", "--format", "junit", code=1).out
        assert junit.count('type="regressed"') == 2
        github = box.row3("--compare", "--format", "github", code=1).out
        assert "::warning file=golden/support/capital.gold.json,title=row3%3A regressed::" in github
        markdown = box.row3("--compare", "--format", "markdown", code=1).out
        assert "3 checks lost: \\$.city: equals Paris; \\$.people: number 2.1; judge helpfulness" in markdown
        assert "gate.metrics" not in markdown
        box.row3("promote", "v1.1", code=1)
        box.git("add", "-A")
        hook = box.row3("hook", "run", code=1)
        assert "Pass rate" in hook.out + hook.err

    def test_a_good_one_is_promoted_and_the_hook_lets_it_pass(self, box: Box) -> None:
        draft(box, "1.2")
        result = compared(box, "--mode", "record", code=0)
        assert result["verdict"] == "proceed"
        assert "v1.2 is promoted" in box.row3("promote", "v1.2", code=0).out
        box.git("add", "-A")
        box.row3("hook", "run", code=0)
        box.commit("v1.2")
        assert compared(box, "--against", "main", code=0)["verdict"] == "proceed"
        assert "recordings are in order" in box.row3("recordings", "verify", code=0).out
        assert "0 removed" in box.row3("recordings", "prune", code=0).out

    def test_what_is_known_of_versions_and_cases(self, box: Box) -> None:
        draft(box, "1.1")
        box.row3("--mode", "record", code=0)
        diff = box.row3("diff", "v1.0", "v1.1", code=0).out
        assert "checks lost: " in diff
        assert "nothing: prompts, model, parameters" in box.row3("diff", "main", "HEAD", code=0).out
        assert "No case has two answers" in box.row3("flaky", code=0).out
        assert "Pass rate" in box.row3("power", code=0).out
        assert "2 cases over 2 versions" in box.row3("cases", code=0).out
        board = box.row3("leaderboard", "--format", "json", code=0).json
        assert [entry["model"] for entry in board["entries"]] == ["desk-1", "desk-1"]
        assert "Pass rate" in box.row3("history", code=0).out
        page = box.row3("investigate", "capital", code=0).out
        assert "failed: equals" in page
        page = box.row3("investigate", "capital", "-v", code=0).out
        assert "`$.city: equals Paris`; is Lyon" in page
        assert "is Lyon" in page

    def test_the_report_shows_every_check_with_its_reason_and_both_answers(self, box: Box) -> None:
        draft(box, "1.1")
        box.row3("--mode", "record", code=0)
        box.row3("report", "--out", "r.html", code=0)
        with browser() as started:
            page = open_page(started, box.path("r.html"))
            page.open_case("capital")
            said = page.text("body")
            for words in ("$.city: equals Paris", "failed", "is Lyon", "judge helpfulness", "says nothing", "Paris"):
                assert words in said
            assert not page.said
            assert not page.asked


class TestCriteria:
    """Every change below is made on a branch, and judged by main."""

    def test_a_removed_check_blocks(self, box: Box) -> None:
        box.replace("golden/support/refund.gold.json", '  {\n   "contains": "receipt"\n  },\n', "")
        result = compared(box, "--against", "main", code=1)
        (removed,) = [subject for code, subject in reasons(result) if code == "criteria_removed"]
        assert removed.startswith("case refund check:contains")

    def test_a_changed_rubric_and_another_judge(self, box: Box, desk: Desk) -> None:
        box.replace("prompts/helpfulness-v1.0.md", "harshly", "kindly")
        done = box.row3("--compare", "--against", "main", "--format", "json", code=3)  # nothing of it is recorded
        assert ("criteria_changed", "rule rubric.helpfulness") in reasons(done.json)
        result = compared(box, "--against", "main", "--mode", "auto", code=0)
        assert reasons(result)["criteria_changed", "rule rubric.helpfulness"] == "investigate"
        box.git("checkout", "-q", ".")
        box.replace("row3.toml", 'model = "judge-1"', 'model = "judge-2"')
        box.row3("--mode", "record", "--prompt", "answer-v1.0", code=0)
        result = compared(box, "--against", "main", code=0)
        assert reasons(result)["criteria_changed", "rule judge"] == "investigate"
        assert {body["model"] for body in desk.judged} == {"judge-1", "judge-2"}

    def test_checks_of_the_suite(self, box: Box) -> None:
        box.write("row3.toml", box.read("row3.toml") + f"\n[[suites.{SUITE}.checks]]\nmax_words = 30\nname = 'short'\n")
        result = compared(box, "--against", "main", code=0)
        assert reasons(result)["criteria_added", "rule check short"] == "proceed"
        box.commit("a check")
        box.git("checkout", "-q", "main")
        box.git("merge", "-q", "work")
        box.git("checkout", "-q", "work")
        box.replace("row3.toml", "max_words = 30", "max_words = 300")
        result = compared(box, "--against", "main", code=0)
        assert reasons(result)["criteria_changed", "rule check short"] == "investigate"
        box.replace("row3.toml", f"[[suites.{SUITE}.checks]]\nmax_words = 300\nname = 'short'\n", "")
        result = compared(box, "--against", "main", code=1)
        assert reasons(result)["criteria_removed", "rule check short"] == "block"


class TestElsewhere:
    def test_score_with_outputs_made_elsewhere(self, box: Box) -> None:
        lines = [{"caseId": case_id, "output": text} for case_id, text in GOOD.items()]
        box.write("out.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        run = box.row3("score", SUITE, "--outputs", "out.jsonl", "--format", "json", code=0).json
        assert run["metrics"]["passRate"] == 1
        assert run["metrics"]["judgedRate"] == pytest.approx(0.9)  # recorded judgements of the same answers
        card = row3.score(SUITE, [{"caseId": "capital", "output": json.loads(GOOD["capital"])}], project=box.root)
        assert card.failed == ["refund"]
        assert card.metrics["passRate"] == 1


SCORERS = """
import time
def polite(case, answer): return ("please" in answer.lower(), "no please")
def half(case, answer): return 0.5
def broken(case, answer): raise KeyError("tone")
def nan(case, answer): return float("nan")
def two(case, answer): return 2
def text(case, answer): return ("0.5", "half of it")
def nothing(case, answer): pass
class Odd:
    def __repr__(self): raise ValueError("odd")
def odd(case, answer): return Odd()
def slow(case, answer): time.sleep(5)
"""

ENDS = """
import os, posix, signal, subprocess, sys, threading, time
def exits(case, answer): os._exit(0)
def exits_too(case, answer): posix._exit(3)
def quits(case, answer): sys.exit(0)
def aborts(case, answer): os.abort()
def kills(case, answer): os.kill(os.getpid(), signal.SIGKILL)
def becomes(case, answer): os.execv(sys.executable, [sys.executable, "-c", "print('{}')"])
def loops(case, answer):
    while True: pass
def interrupts(case, answer): raise KeyboardInterrupt
def floods(case, answer): return 1.0, "x" * 33_000_000
def writes_everywhere(case, answer):
    for number in range(3, 100):
        try: os.write(number, b"[]\\n{")
        except OSError: pass
def ends_in_a_child(case, answer):
    if not os.fork(): time.sleep(20)
    os._exit(2)
def ends_later(case, answer):
    threading.Timer(0.3, os._exit, [5]).start()
    return 1.0
def waits(case, answer): return time.sleep(0.6) or 1.0
def prints(case, answer):
    print("{" * 1_000_000)
    subprocess.run([sys.executable, "-c", "print('}')"])
    os.write(1, b"{}")
    return 1.0
def reads(case, answer): return sys.stdin.read() == ""
def forks(case, answer):
    number = os.fork()
    if number: return os.waitpid(number, 0)[1] == 0
    return 0.5
def child_exits(case, answer):
    number = os.fork()
    if not number: os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 9
calls = []
def counts(case, answer):
    calls.append(1)
    return len(calls) == 1
def counts_on(case, answer): return len(calls) == 1
"""
SAID = {
    "exits": "ended its process (exit code 0)",
    "exits_too": "ended its process (exit code 3)",
    "quits": "raised SystemExit: 0",
    "aborts": "ended its process (signal 6)",
    "kills": "ended its process (signal 9)",
    "becomes": "ended its process (exit code 0)",
    "loops": "gave no score within 1 s",
    "interrupts": "raised KeyboardInterrupt",
    "writes_everywhere": "",
    "ends_in_a_child": "ended its process (exit code 2)",
}
"""What is said of a scorer that gives no score."""
WELL = ("ends_later", "waits", "prints", "reads", "forks", "child_exits", "counts", "counts_on")


def simple(root: Path, desk: Desk, checks: list[dict[str, Any]], settings: str = "") -> Box:
    """One case, `refund`, with these checks."""
    only = {"refund": QUESTIONS["refund"]}
    box = desk_box(root, desk, questions=only, checks={"refund": checks}, settings=settings)
    box.write("scorers.py", SCORERS)
    return box


def items(result: Any) -> dict[str, tuple[str, float, str]]:
    """State, score and reason of each check of the only case."""
    found = result["cases"][0]["matches"]["items"]
    return {each["label"]: (each["state"], each["score"], each["reason"]) for each in found}


class TestOtherChecks:
    def test_scorers_of_ones_own(self, tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(asks, "SCORER_LIMIT_S", 0.2)
        names = ("polite", "half", "broken", "nan", "two", "text", "nothing", "odd", "slow", "missing")
        box = simple(tmp_path / "p", desk, [{"python": f"scorers:{name}", "name": name} for name in names])
        done = box.row3("--mode", "record", "--format", "json", code=3)
        assert "missing: `scorers:missing` cannot be loaded" in done.err
        found = items(done.json)
        assert found["polite"] == ("passed", 1.0, "no please")
        assert found["half"][:2] == ("failed", 0.5)
        for name, words in (
            ("broken", "raised KeyError"),
            ("nan", "`scorers:nan` returned nan, not a number in [0, 1]"),
            ("two", "`scorers:two` returned 2, not a number in [0, 1]"),
            ("text", "`scorers:text` returned '0.5', not a number in [0, 1]"),
            ("nothing", "`scorers:nothing` returned None, not a number in [0, 1]"),
            ("odd", "raised ValueError: odd"),
            ("slow", "no score within 0.2 s"),
            ("missing", "cannot be loaded"),
        ):
            assert found[name][:2] == ("not-judged", 0.5)
            assert words in found[name][2]
        assert "passRate" not in done.json["metrics"]
        assert done.json["matchCounts"]["judgements"] == {"failed": 8, "given": 2}
        assert box.row3("--baseline").code == 3

    @pytest.mark.parametrize(
        "output", ["If you please.", {"reply": "If you please."}, '{"reply": "If you please."}', ["please"]]
    )
    def test_the_scorer_of_the_docs_takes_text_and_json(self, tmp_path: Path, desk: Desk, output: Any) -> None:
        box = simple(tmp_path / "p", desk, [{"python": "scorers:polite", "name": "polite"}])
        (code,) = re.findall(r"```python\n(.*?)```", (HOME / "docs/checks.md").read_text("utf-8"), re.DOTALL)
        box.write("scorers.py", code)
        box.write("outputs.jsonl", json.dumps({"caseId": "refund", "output": output}))
        done = box.row3("score", SUITE, "--outputs", "outputs.jsonl", "--format", "json", code=0)
        assert items(done.json)["polite"] == ("passed", 1.0, "no please")

    def test_one_answer_of_both_sides_is_scored_once(self, tmp_path: Path, desk: Desk) -> None:
        """And two answers, by the same criteria, each for itself."""
        box, calls = simple(tmp_path / "p", desk, [{"python": "counted:f"}]), tmp_path / "calls"
        box.write("counted.py", f"def f(case, answer):\n    open({str(calls)!r}, 'a').write('x')\n    return 1.0\n")
        box.row3("--baseline", "--mode", "record", code=0)
        box.init()
        for command in ("--compare --against HEAD", "--compare --all --against HEAD"):
            calls.write_text("")
            box.row3(*command.split(), code=0)
            assert calls.read_text() == "x"
        draft(box, "1.2")
        box.row3("--mode", "record", code=0)
        calls.write_text("")
        box.row3("--compare", "--against", "HEAD", code=0)
        assert calls.read_text() == "xx"

    def test_whatever_a_scorer_does_the_others_score(
        self, tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(asks, "SCORER_LIMIT_S", 1.0)
        names = (*SAID, *WELL)
        checks = [{"python": f"ends:{name}", "name": name} for name in names]
        checks += [{"python": "ends_when_read:f", "name": "read"}, {"python": "scorers:polite", "name": "polite"}]
        box = simple(tmp_path / "p", desk, checks)
        box.write("ends.py", ENDS)
        box.write("ends_when_read.py", "import os\nos._exit(4)\n")
        found = items(box.row3("--mode", "record", "--format", "json", code=3).json)
        assert found["read"][2] == "`ends_when_read:f` ended its process (exit code 4)"
        assert found["polite"] == ("passed", 1.0, "no please")
        for name, said in SAID.items():
            assert found[name][0] == "not-judged", name
            assert said in found[name][2], name
            assert f"`ends:{name}`" in found[name][2]
        assert {name: found[name][0] for name in WELL} == dict.fromkeys(WELL, "passed")

    @pytest.mark.parametrize("name", ["exits", "becomes", "kills", "floods", "ends_later", "prints"])
    def test_a_scorer_leaves_stdout_and_the_exit_code_to_row3(self, tmp_path: Path, desk: Desk, name: str) -> None:
        scorer = f"ends:{name}"
        box = simple(tmp_path / "p", desk, [{"python": scorer}, {"python": scorer, "name": "again"}])
        box.write("ends.py", ENDS)
        box.write("out.jsonl", json.dumps({"caseId": "refund", "output": "x"}) + "\n")
        wrong = name not in WELL
        args = ("score", SUITE, "--outputs", "out.jsonl", "--trust", "--format", "json")
        done = box.row3(*args, code=3 if wrong else 0, fresh=True)
        assert done.json["metrics"].get("passRate") == (None if wrong else 1.0)

    def test_cost_and_latency(self, tmp_path: Path, desk: Desk) -> None:
        checks: list[dict[str, Any]] = [{"cost": 0.001}, {"cost": 0.0000001, "name": "cheap"}, {"latency": 60}]
        box = simple(tmp_path / "p", desk, checks)
        found = items(box.row3("--mode", "record", "--format", "json", code=0).json)
        assert found["cheap"] == ("passed", 1.0, "")  # the server is on this machine
        box.replace("row3.toml", 'preset = "vllm"', 'preset = "vllm"\nkey_variable = "PAID"')
        found = items(box.row3("--format", "json", code=0).json)
        assert found["cheap"] == ("not-judged", 0.5, "the cost is not known")
        assert found["latency 60.0"][0] == "passed"
        box.write("row3.toml", box.read("row3.toml") + "\n[prices.desk-1]\ninput = 1.0\noutput = 2.0\n")
        found = items(box.row3("--format", "json", code=0).json)  # 100 tokens in, 50 out
        assert found["cost 0.001"][0] == "passed"
        assert found["cheap"] == ("failed", 0.0, "0.0002 US dollars")

    def test_meaning_by_a_server_of_embeddings(self, tmp_path: Path, desk: Desk) -> None:
        server = EmbeddingServer((GOOD["refund"], "Mail us the bill soon."))
        try:
            settings = f'matching = {{ semantic = {{ model = "toy-embed", base_url = "{server.url}" }} }}\n'
            checks = [{"semantic": "Mail us the bill soon."}, {"semantic": "Buy a boat.", "name": "other"}]
            box = simple(tmp_path / "p", desk, checks, settings)
            found = items(box.row3("--mode", "record", "--format", "json", code=0).json)
            assert found["semantic Mail us the bill soon."][0] == "passed"
            assert found["other"][0] == "failed"
            asked = len(server.texts)
            assert items(box.row3("--format", "json", code=0).json) == found
            assert len(server.texts) == asked
        finally:
            server.stop()

    def test_embeddings_of_two_lengths_are_named(self, tmp_path: Path, desk: Desk) -> None:
        server = EmbeddingServer((GOOD["refund"], "Mail us the bill soon."))
        try:
            settings = f'matching = {{ semantic = {{ model = "toy-embed", base_url = "{server.url}" }} }}\n'
            box = simple(tmp_path / "p", desk, [{"semantic": "Mail us the bill soon."}], settings)
            box.row3("--mode", "record", code=0)
        finally:
            server.stop()
        path = next(name for name in box.tree() if "/embeddings-" in name)
        first, *others = box.read(path).splitlines()
        other = json.loads(first) | {"vector": pack([1.0])}
        box.write(path, "\n".join([json.dumps(other), *others]) + "\n")
        for command in ((), ("--baseline",)):
            done = box.row3(*command, code=2)
            assert f"{path}:" in done.err
            assert "field `vector` has" in done.err

    def test_two_of_three_answers(self, tmp_path: Path) -> None:
        answers = iter([GOOD["refund"], BAD["refund"], GOOD["refund"]] * 2)

        class Moody(Desk):
            def reply_to(self, body: Any) -> Any:
                self.answers["1.0"] = {"refund": next(answers)}
                return super().reply_to(body)

        desk = Moody({}, by_content)
        try:
            box = simple(tmp_path / "p", desk, CHECKS["refund"], "passes = 2\n")
            run = box.row3("--baseline", "--mode", "record", "--repeats", "3", "--format", "json", code=0).json
            assert run["metrics"]["casesPassed"] == 1
            assert run["metrics"]["passRate"] == pytest.approx(2 / 3)
            assert box.row3("flaky", "--format", "json", code=0).json["cases"][0]["verdict"] == "flaky"
            box.replace("row3.toml", "passes = 2", "passes = 3")
            run = box.row3("--repeats", "3", "--format", "json", code=0).json
            assert run["metrics"]["casesPassed"] == 0
        finally:
            desk.stop()
