"""A block that may be noise: unconfirmed in replay and the hook, confirmed or cleared by answers asked over HTTP."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bakery import IDS, bakery, found, record
from tests.chat_server import FakeReply
from tests.live_models import COST, Asked, Provider, concepts
from tests.projects import Box, wait_until

CASES = IDS[:15]
UNLUCKY = frozenset(CASES[::5])
"""Cases whose first answer of v1.1 finds nothing."""
AUTO = ("--compare", "--mode", "auto", "--confirm", "4")
Make = Callable[[Callable[[Asked], FakeReply]], Provider]


@pytest.fixture(scope="module")
def promoted(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Fifteen cases; v1.0 finds everything and is promoted, v1.1 is a candidate without recordings."""
    box = bakery(tmp_path_factory.mktemp("bakery") / "project")
    record(box, "1.0", found(4))
    box.path("prompts/extract-v1.1.md").rename(box.root / "waits.md")
    box.init()
    box.row3("promote", "v1.0", code=0)
    (box.root / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
    box.commit("v1.0")
    return box


@pytest.fixture
def box(promoted: Box, tmp_path: Path) -> Box:
    return promoted.copy(tmp_path / "project")


@pytest.fixture
def fallen(box: Box) -> Box:
    """Three of fifteen recorded answers of v1.1 find nothing: Overall −13 points, which may be noise."""
    record(box, "1.1", found(0, 4, 4, 4, 4))
    return box


@pytest.fixture
def provider(box: Box) -> Iterator[Make]:
    """Makes providers that the project asks, committed, and ends them."""
    started: list[Provider] = []

    def make(choose: Callable[[Asked], FakeReply]) -> Provider:
        started.append(Provider(choose))
        started[-1].serve(box)
        box.git("commit", "-q", "--no-verify", "-m", "provider", "row3.toml")
        return started[-1]

    yield make
    for each in started:
        each.stop()


def flawless(asked: Asked) -> FakeReply:
    return concepts(asked, 4)


def worse(asked: Asked) -> FakeReply:
    return concepts(asked, 2 if asked.version == "1.1" else 4)


def unlucky_once(asked: Asked) -> FakeReply:
    """v1.1 is as good as v1.0, but for the first answer to three cases."""
    lost = asked.version == "1.1" and asked.case_id in UNLUCKY and not asked.times
    return concepts(asked, 0 if lost else 4)


def result(box: Box, *args: str, code: int) -> dict[str, Any]:
    done = box.row3(*args, "--format", "json")
    assert done.code == code, (done.code, done.err, done.out and codes(done.json))
    value = done.json
    assert isinstance(value, dict)
    return value


def codes(value: dict[str, Any], *verdicts: str) -> list[tuple[str, str]]:
    wanted = verdicts or ("block", "proceed")
    return [(each["code"], each["subject"]) for each in value["reasons"] if each["verdict"] in wanted]


def words(command: str) -> list[str]:
    """A printed command's arguments."""
    row3, *args = shlex.split(command)
    assert row3 == "row3"
    return args


def asked_once(made: Provider, *, before: int = 0) -> bool:
    """Whether no repeat of a case and version was asked twice; `before` are recorded."""
    return max(Counter((each.version, each.case_id, each.times) for each in made.asked[before:]).values()) == 1


def unconfirmed(value: dict[str, Any]) -> bool:
    return codes(value, "block") == [("worse", "overall"), ("unconfirmed", "overall")]


class TestReplay:
    def test_the_printed_command_clears_it_and_the_answers_decide_from_then_on(
        self, fallen: Box, provider: Make
    ) -> None:
        made = provider(flawless)
        first = result(fallen, "--compare", code=1)
        assert unconfirmed(first)
        assert first["confirmation"] == {
            "most": 4,
            "answers": 0,
            "asked": 0,
            "missing": 60,
            "stopped": "",
            "command": "row3 --compare --mode auto --confirm 4",
        }
        assert made.asked == []
        done = fallen.row3(*words(first["confirmation"]["command"]), "--format", "json", code=0)
        assert "60 more requests, about $0.0" in done.err
        assert made.versions() == {"1.0": 30, "1.1": 30}
        assert codes(done.json) == [("cleared", "overall")]
        cleared = next(each for each in done.json["reasons"] if each["code"] == "cleared")["figures"]
        assert cleared["once"] == pytest.approx([0.85, 0.72])
        assert (cleared["before"], cleared["after"]) == pytest.approx((0.85, 0.85 - 0.13 / 3))
        assert (done.json["repeats"], done.json["usage"]["requests"]) == (3, 75)
        # The recorded answers decide wherever none is asked.
        for args in (("--compare",), AUTO, ("--compare", "--against", "HEAD")):
            again = result(fallen, *args, code=0)
            assert again["metrics"]["overall"] == done.json["metrics"]["overall"]
            assert (again["confirmation"]["answers"], again["confirmation"]["asked"]) == (2, 0)
        fallen.git("add", "-A")
        assert "INVESTIGATE" in fallen.row3("hook", "run", "pre-commit", code=0).err
        assert len(made.asked) == 60

    def test_the_printed_command_confirms_it(self, fallen: Box, provider: Make) -> None:
        made = provider(worse)
        command = words(result(fallen, "--compare", code=1)["confirmation"]["command"])
        confirmed = result(fallen, *command, code=1)
        assert ("worse", "overall") in codes(confirmed, "block")
        assert "unconfirmed" not in {code for code, _ in codes(confirmed)}
        assert (confirmed["confirmation"]["answers"], confirmed["confirmation"]["command"]) == (2, "")
        assert result(fallen, "--compare", code=1)["metrics"] == confirmed["metrics"]
        fallen.git("add", "-A")
        assert "row3 stops this commit." in fallen.row3("hook", "run", "pre-commit", code=1).err
        assert len(made.asked) == 60

    def test_the_hook_prints_the_command_for_its_base(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        fallen.git("add", "-A")
        fallen.row3("hook", "run", "pre-commit", code=1)
        against = result(fallen, "--compare", "--against", "HEAD", code=1)["confirmation"]["command"]
        assert against == "row3 --compare --mode auto --confirm 4 --against HEAD"
        assert codes(result(fallen, *words(against), code=0), "block") == []
        fallen.git("add", "-A")
        fallen.row3("hook", "run", "pre-commit", code=0)
        assert made.versions() == {"1.0": 30, "1.1": 30}

    def test_a_block_that_no_answer_can_lift_needs_none(self, box: Box, provider: Make) -> None:
        made = provider(worse)
        record(box, "1.1", found(1))
        value = result(box, *AUTO, code=1)
        assert ("worse", "overall") in codes(value, "block")
        assert value["confirmation"] is None if "confirmation" in value else True
        assert made.asked == []

    def test_the_look_after_four_answers_decides(self, fallen: Box, provider: Make) -> None:
        """After two answers Overall is 6.8 points lower, not beyond noise; after four 5.6, and the limit decides."""
        made = provider(lambda asked: concepts(asked, 1 if asked.version == "1.1" and asked.case_id in UNLUCKY else 4))
        value = result(fallen, *AUTO, code=1)
        assert codes(value, "block") == [("worse", "overall")]
        assert (value["confirmation"]["answers"], value["repeats"], len(made.asked)) == (4, 5, 120)
        assert asked_once(made)

    def test_settings_and_flags_of_the_comparison_are_in_the_command(self, box: Box, provider: Make) -> None:
        made = provider(flawless)
        for repeat in range(2):
            record(box, "1.1", found(0, 4, 4, 4, 4), repeat=repeat)
        record(box, "1.0", found(4), repeat=1)
        value = result(box, "--compare", "--repeats", "2", "--prompt", "extract-v1.1", "--policy", "fixed", code=1)
        command = value["confirmation"]["command"]
        assert command == ("row3 --compare --mode auto --confirm 4 --prompt extract-v1.1 --repeats 2 --policy fixed")
        confirmed = result(box, *words(command), code=1)
        assert ("worse", "recall") in codes(confirmed, "block")
        assert (confirmed["confirmation"]["answers"], confirmed["repeats"]) == (4, 6)
        assert len(made.asked) == 4 * 15 + 3 * 15  # the base was asked once, and has one more recorded answer
        assert asked_once(made)


class TestAsking:
    def test_auto_asks_only_with_confirm_or_a_budget(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        assert unconfirmed(result(fallen, "--compare", "--mode", "auto", code=1))
        assert made.asked == []
        assert codes(result(fallen, "--compare", "--mode", "auto", "--max-cost", "1", code=0)) == [
            ("cleared", "overall")
        ]
        assert len(made.asked) == 60

    def test_adaptive_is_confirm_8(self, fallen: Box, provider: Make) -> None:
        provider(flawless)
        assert result(fallen, "--compare", "--adaptive", code=1)["confirmation"]["most"] == 8
        value = result(fallen, "--compare", "--adaptive", "--mode", "auto", code=0)
        assert (value["confirmation"]["most"], value["confirmation"]["answers"]) == (8, 2)

    @pytest.mark.parametrize("mode", ["live", "record"])
    def test_live_and_record_go_on_interleaved(self, box: Box, provider: Make, mode: str) -> None:
        made = provider(unlucky_once)
        value = result(box, "--compare", "--mode", mode, "--jobs", "1", code=0)
        assert codes(value) == [("cleared", "overall")]
        assert (value["mode"], value["repeats"], value["usage"]["requests"]) == (mode, 3, 90)
        assert value["usage"]["costUsd"] == pytest.approx(90 * COST)
        assert asked_once(made)
        pairs = list(zip(made.asked[::2], made.asked[1::2], strict=True))
        assert all(one.case_id == two.case_id and one.version != two.version for one, two in pairs)
        recorded = {path.name: len(path.read_text().splitlines()) for path in box.path("recordings/bread").iterdir()}
        if mode == "live":
            assert recorded == {"extract-v1.0.jsonl": 15}
            return
        # Both sides' further answers are repeats of the same requests; the base's others are not recorded.
        assert recorded == {"extract-v1.0.jsonl": 45, "extract-v1.1.jsonl": 45}
        assert result(box, "--compare", code=0)["metrics"] == value["metrics"]

    def test_record_against_a_commit(self, box: Box, provider: Make) -> None:
        made = provider(unlucky_once)
        value = result(box, "--compare", "--against", "HEAD", "--mode", "record", code=0)
        assert codes(value) == [("cleared", "overall"), ("recorded", "")]
        assert made.versions() == {"1.0": 30, "1.1": 45}
        assert asked_once(made)

    def test_what_a_new_text_needs_is_asked_too(self, box: Box, provider: Make) -> None:
        """One case has another text: it is asked in the base's words and in its own."""
        made = provider(unlucky_once)
        path = box.path(f"golden/bread/{CASES[7]}.gold.json")
        case = json.loads(path.read_text())
        path.write_text(json.dumps(case | {"sourceText": case["sourceText"] + " It rains."}))
        value = result(box, "--compare", "--against", "HEAD", *AUTO[1:], code=0)
        assert ("cleared", "overall") in codes(value)
        assert made.versions() == {"1.0": 1 + 32, "1.1": 16 + 32}
        sent = len(made.asked)
        assert result(box, "--compare", "--against", "HEAD", code=0)["metrics"] == value["metrics"]
        assert len(made.asked) == sent

    def test_equal_prompts_share_their_answers(self, fallen: Box, provider: Make) -> None:
        """A draft that sends the same request is the same draw: nothing falls, and nothing is asked."""
        made = provider(flawless)
        text = fallen.read("prompts/extract-v1.0.md").replace('version: "1.0"', 'version: "1.1"')
        fallen.write("prompts/extract-v1.1.md", text)
        assert codes(result(fallen, *AUTO, code=0)) == []
        assert made.asked == []

    def test_the_same_prompts_asked_live_draw_for_themselves(self, box: Box, provider: Make) -> None:
        """A/A: the second answer to a text is a bad one, whichever side gets it."""
        made = provider(lambda asked: concepts(asked, 0 if asked.case_id in UNLUCKY and asked.times == 1 else 4))
        text = box.read("prompts/extract-v1.0.md").replace('version: "1.0"', 'version: "1.1"')
        box.write("prompts/extract-v1.1.md", text)
        value = result(box, "--compare", "--mode", "live", code=0)
        assert made.versions() in ({"1.0": 30}, {"1.0": 90})
        assert value["verdict"] != "block"

    def test_no_confirmation_means_the_limit_alone(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        for flags in (("--confirm", "0"), ("--mode", "auto", "--confirm", "0")):
            value = result(fallen, "--compare", *flags, code=1)
            assert codes(value, "block") == [("worse", "overall")]
        fallen.write("row3.toml", fallen.read("row3.toml") + "\n[suites.bread.gate]\nconfirm = 0\n")
        assert codes(result(fallen, "--compare", "--mode", "auto", "--max-cost", "1", code=1), "block") == [
            ("worse", "overall")
        ]
        assert made.asked == []

    def test_a_dry_run_counts_them(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        counted = {
            ("--mode", "live"): 120,
            ("--mode", "record"): 120,
            ("--mode", "auto", "--confirm", "2"): 60,
            ("--mode", "auto", "--adaptive"): 240,
            ("--mode", "live", "--confirm", "0"): None,
            ("--mode", "auto"): None,
            ("--mode", "replay"): None,
        }
        for flags, number in counted.items():
            plan = result(fallen, "--compare", "--dry-run", *flags, code=0)
            assert plan.get("confirmingRequests") == number
            assert plan.get("baselineRequests", 0) == (15 if flags[1] in ("live", "record") else 0)
        shown = fallen.row3("--compare", "--dry-run", *AUTO[1:], code=0).out
        assert "Up to 120 more requests to confirm a block, $0.0" in " ".join(shown.split())
        shown = fallen.row3("--compare", "--dry-run", *AUTO[1:], "--max-cost", "0.001", code=0).out
        assert "more than --max-cost $0.001" in " ".join(shown.split())
        assert made.asked == []

    def test_every_suite(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        assert "row3 --compare --mode auto --confirm 4" in fallen.row3("--compare", "--all", code=1).out
        done = fallen.row3(*AUTO, "--all", "--format", "json", code=0)
        assert done.json["suites"][0]["confirmation"]["answers"] == 2
        assert len(made.asked) == 60

    def test_a_critical_case(self, box: Box, provider: Make) -> None:
        path = box.path(f"golden/bread/{CASES[0]}.gold.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"critical": True}))
        record(box, "1.1", found(4) | {CASES[0]: 2})
        value = result(box, "--compare", code=1)
        assert codes(value, "block") == [("critical_broke", CASES[0]), ("unconfirmed", CASES[0])]
        provider(lambda asked: concepts(asked, 2 if asked.case_id == CASES[0] and asked.version == "1.1" else 4))
        shutil.copytree(box.root, box.root.parent / "lucky")
        assert codes(result(box, *AUTO, code=1), "block") == [("critical_broke", CASES[0])]
        lucky = Box(box.root.parent / "lucky", box.env)
        made = Provider(flawless)
        try:
            made.serve(lucky)
            assert codes(result(lucky, *AUTO, code=0)) == [("cleared", CASES[0])]
        finally:
            made.stop()

    def test_zones_and_few_cases_where_no_test_can_reject(self, tmp_path: Path) -> None:
        box = bakery(tmp_path / "project", cases=5)
        record(box, "1.0", found(4, cases=5))
        record(box, "1.1", found(3, cases=5))
        box.path("prompts/extract-v1.1.md").rename(tmp_path / "waits.md")
        box.row3("--baseline", code=0)
        (tmp_path / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
        made = Provider(lambda asked: concepts(asked, 3 if asked.version == "1.1" else 4))
        try:
            made.serve(box)
            box.write("row3.toml", box.read("row3.toml") + '\n[suites.bread.gate]\nfail = "overall:10"\n')
            value = result(box, "--compare", code=1)
            assert {("worse", "recall"), ("unconfirmed", "recall")} <= {*codes(value, "block")}
            confirmed = result(box, *AUTO, code=1)
            assert ("worse", "recall") in codes(confirmed, "block")
            assert "unconfirmed" not in {code for code, _ in codes(confirmed)}
            assert (confirmed["confirmation"]["answers"], len(made.asked)) == (4, 40)
        finally:
            made.stop()


class TestStopped:
    def test_a_budget_that_runs_out_and_the_same_command_goes_on(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        command = (*AUTO, "--max-cost", f"{25.5 * COST:g}", "--jobs", "1")
        for sent, missing in ((25, 35), (50, 10)):
            done = fallen.row3(*command, "--format", "json", code=1)
            assert unconfirmed(done.json)
            confirmation = done.json["confirmation"]
            assert (confirmation["asked"], confirmation["missing"], len(made.asked)) == (25, missing, sent)
            assert "of --max-cost" in confirmation["stopped"]
            assert f"--max-cost {25.5 * COST:g}" in confirmation["command"]
            assert f"{missing + 25} more requests, about $0.0" in done.err
        assert codes(result(fallen, *command, code=0)) == [("cleared", "overall")]
        assert len(made.asked) == 60
        assert asked_once(made)

    def test_a_budget_that_buys_no_answer_is_not_advised_again(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        command = (*AUTO, "--max-cost", f"{0.5 * COST:g}")
        shown = result(fallen, *command, "--case", "[a-k]*", code=1)
        printed = shown["confirmation"]["command"]
        assert printed == "row3 --compare --mode auto --confirm 4 --case '[a-k]*'"
        assert "may cost $" in shown["confirmation"]["stopped"]
        assert made.asked == []
        assert codes(result(fallen, *words(printed), code=0), "block") == []
        assert {asked.case_id[0] for asked in made.asked} <= set("abcdefghijk")

    @pytest.mark.parametrize("mode", ["live", "record"])
    def test_a_budget_that_runs_out_live(self, box: Box, provider: Make, mode: str) -> None:
        made = provider(unlucky_once)
        command = ("--compare", "--mode", mode, "--max-cost", f"{55.5 * COST:g}", "--jobs", "1")
        done = box.row3(*command, "--format", "json", code=1)
        value = done.json
        assert unconfirmed(value)
        assert (value["repeats"], len(made.asked)) == (1, 55)
        assert value["usage"]["requests"] == 55
        printed = value["confirmation"]["command"]
        assert ("--continue" in printed) == (mode == "live")
        assert "To ask only for what is missing" not in done.err
        assert codes(result(box, *words(printed), "--jobs", "1", code=0)) == [("cleared", "overall")]
        assert len(made.asked) == 90
        assert asked_once(made)

    def test_an_answer_that_fails(self, fallen: Box, provider: Make) -> None:
        made = provider(
            lambda asked: (
                FakeReply(status=400) if (asked.version, asked.case_id) == ("1.0", CASES[3]) else flawless(asked)
            )
        )
        value = result(fallen, *AUTO, code=1)
        assert unconfirmed(value)
        assert "answered 400" in value["confirmation"]["stopped"]
        assert value["confirmation"]["missing"] == 4 - (made.versions()["1.1"] - 28)
        sent = len(made.asked)
        made.choose = flawless
        assert codes(result(fallen, *words(value["confirmation"]["command"]), code=0)) == [("cleared", "overall")]
        assert len(made.asked) == sent + value["confirmation"]["missing"]

    def test_a_provider_that_refuses_everything(self, fallen: Box, provider: Make) -> None:
        made = provider(lambda _: FakeReply(status=401))
        value = result(fallen, *AUTO, code=1)
        assert unconfirmed(value)
        assert "401" in value["confirmation"]["stopped"]
        made.choose = flawless
        assert codes(result(fallen, *AUTO, code=0)) == [("cleared", "overall")]

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
    @pytest.mark.parametrize("mode", ["auto", "live", "record"])
    def test_interrupted(self, box: Box, provider: Make, mode: str, sent: signal.Signals) -> None:
        """Half of the first look's answers come; the same command asks for the rest."""
        flags = AUTO if mode == "auto" else ("--compare", "--mode", mode)
        kept = 0 if mode == "auto" else 30
        if mode == "auto":
            record(box, "1.1", found(0, 4, 4, 4, 4))
        chosen = flawless if mode == "auto" else unlucky_once
        made = provider(lambda asked: FakeReply(chosen(asked).text, wait_s=60 if asked.at >= kept + 20 else 0))
        process = box.start(*flags, "--jobs", "1")
        journal = box.state / "journal"
        lines = kept + 20

        def written() -> bool:
            return sum(path.read_text("utf-8").count("\n") for path in journal.glob("*.jsonl")) >= lines

        wait_until(lambda: len(made.asked) > lines and written())
        os.killpg(process.pid, sent)
        process.communicate(timeout=55)
        # The answer under way is lost with its request.
        made.choose, made.asked = chosen, made.asked[:-1]
        done = box.row3(*flags, "--jobs", "1", "--format", "json", code=0)
        assert codes(done.json) == [("cleared", "overall")]
        assert len(made.asked) == kept + 60
        assert asked_once(made)


class TestProviderMoved:
    def test_the_new_rounds_alone_decide(self, fallen: Box, provider: Make) -> None:
        """Both sides find one concept of four now: the prompt is not the cause."""
        made = provider(lambda asked: concepts(asked, 1))
        value = result(fallen, *AUTO, code=0)
        assert codes(value) == [("cleared", "overall"), ("provider_moved", "overall")]
        assert (value["deltas"]["overall"], value["repeats"]) == (0.0, 2)
        moved = next(each for each in value["reasons"] if each["code"] == "provider_moved")["figures"]
        assert (moved["before"], moved["after"]) == pytest.approx((0.85, 0.6625))
        assert value["drift"]["state"] == "moved"
        assert codes(result(fallen, "--compare", code=0)) == codes(value)
        assert len(made.asked) == 60

    def test_a_worse_prompt_beside_it_still_blocks(self, fallen: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 1 if asked.version == "1.1" else 3))
        value = result(fallen, *AUTO, code=1)
        assert {("worse", "overall"), ("provider_moved", "overall")} <= {*codes(value)}


class TestRecordings:
    def test_they_are_kept_by_prune_and_not_recorded_again(self, fallen: Box, provider: Make) -> None:
        provider(flawless)
        value = result(fallen, *AUTO, code=0)
        before = fallen.read("recordings/bread/extract-v1.0.jsonl")
        assert len(before.splitlines()) == 45
        fallen.row3("recordings", "prune", "--yes", code=None)
        fallen.row3("recordings", "prune", code=0)
        assert fallen.read("recordings/bread/extract-v1.0.jsonl") == before
        fallen.commit("confirmed")
        against = result(fallen, "--compare", "--against", "HEAD~1", code=0)
        assert "recorded_again" not in {code for code, _ in codes(against, "investigate")}
        assert against["metrics"] == value["metrics"]
        fallen.row3("recordings", "verify", code=0)

    def test_an_edited_prompt_of_the_baseline_says_why_nothing_confirms(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        manifest = json.loads(fallen.read("baselines/bread.json"))
        fallen.path("prompts/promoted.json").unlink()
        fallen.path("prompts/extract-v1.0.md").unlink()
        value = result(fallen, *AUTO, code=1)
        assert manifest["repeats"] == 1
        assert unconfirmed(value)
        assert "extract-v1.0" in value["confirmation"]["stopped"]
        assert value["confirmation"]["command"] == ""
        assert made.asked == []

    def test_answers_made_by_hand_cannot_be_confirmed(self, tmp_path: Path) -> None:
        box = bakery(tmp_path / "project")
        box.replace("row3.toml", "baker-1", "reference-llm")
        record(box, "1.0", found(4))
        box.path("prompts/extract-v1.1.md").rename(tmp_path / "waits.md")
        box.row3("--baseline", code=0)
        (tmp_path / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
        record(box, "1.1", found(0, 4, 4, 4, 4))
        for flags in (("--compare",), AUTO):
            value = result(box, *flags, code=1)
            assert unconfirmed(value)
            assert "no provider serves `reference-llm`" in value["confirmation"]["stopped"]
            assert value["confirmation"]["command"] == ""

    def test_beside_a_baseline_made_by_hand_only_the_candidate_is_asked(self, tmp_path: Path) -> None:
        box = bakery(tmp_path / "project")
        box.replace("row3.toml", "baker-1", "reference-llm")
        record(box, "1.0", found(4))
        box.path("prompts/extract-v1.1.md").rename(tmp_path / "waits.md")
        box.row3("--baseline", code=0)
        (tmp_path / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
        made = Provider(unlucky_once)
        try:
            made.serve(box)
            box.row3("--mode", "record", code=0)
            value = result(box, "--compare", code=1)
            assert unconfirmed(value)
            assert value["confirmation"]["missing"] == 30
            assert codes(result(box, *words(value["confirmation"]["command"]), code=0), "proceed")[:1] == [
                ("cleared", "overall")
            ]
            assert made.versions() == {"1.1": 45}
        finally:
            made.stop()


class TestPromote:
    def test_it_looks_them_up_and_saves_the_answers_of_the_comparison(self, fallen: Box, provider: Make) -> None:
        made = provider(flawless)
        refused = result(fallen, "promote", "v1.1", code=1)
        command = refused["confirmation"]["command"]
        assert command == "row3 --compare --mode auto --confirm 4 --policy fixed"
        result(fallen, *words(command), code=0)
        sent = len(made.asked)
        fallen.row3("promote", "v1.1", "--approve", "a small fall", code=0)
        assert len(made.asked) == sent
        manifest = json.loads(fallen.read("baselines/bread.json"))
        assert (manifest["prompts"]["extract"]["version"], manifest["repeats"]) == ("v1.1", 1)
        assert all(len(case["requests"]) == 1 for case in manifest["cases"])
        fallen.git("add", "-A")
        fallen.row3("hook", "run", "pre-commit", code=0)
        fallen.commit("v1.1")
        assert codes(result(fallen, "--compare", code=0)) == []

    def test_an_older_version_is_named_in_the_command(self, fallen: Box, provider: Make) -> None:
        provider(flawless)
        fallen.prompt("1.2")
        command = result(fallen, "promote", "v1.1", code=1)["confirmation"]["command"]
        assert command.endswith("--policy fixed --prompt extract-v1.1")
        assert result(fallen, *words(command), code=0)["prompts"] == {"extract": "v1.1"}


class TestRolling:
    GATE = '\n[suites.bread.gate]\nbaseline = "rolling"\nblock = 50.0\ndrop = 5.0\n'

    @pytest.fixture
    def waning(self, tmp_path: Path) -> Box:
        """Runs at 4, 3 and 4 concepts, and a candidate whose recorded answers find 3."""
        box = bakery(tmp_path / "project")
        box.write("row3.toml", box.read("row3.toml") + self.GATE)
        box.path("prompts/extract-v1.1.md").unlink()
        for version, count in (("1.0", 4), ("1.1", 3), ("1.2", 4), ("1.3", 3)):
            box.prompt(version)
            record(box, version, dict.fromkeys(CASES, count))
            box.row3("--baseline" if version == "1.0" else "--compare")
        return box

    def test_only_the_candidate_is_asked(self, waning: Box) -> None:
        value = result(waning, "--compare", code=1)
        assert {code for code, _ in codes(value, "block")} == {"rolling_drop", "unconfirmed"}
        made = Provider(flawless)
        try:
            made.serve(waning)
            waning.write("row3.toml", waning.read("row3.toml") + self.GATE)
            asked = result(waning, *AUTO, code=0)
            assert made.versions() == {"1.3": 30}
            assert ("cleared", "overall") in codes(asked)
            assert asked["metrics"] == value["metrics"]  # the run itself stays
            assert codes(result(waning, "--compare", code=0)) == codes(asked)
            assert len(made.asked) == 30
        finally:
            made.stop()

    def test_a_drop_that_stays_blocks(self, waning: Box) -> None:
        made = Provider(lambda asked: concepts(asked, 3))
        try:
            made.serve(waning)
            waning.write("row3.toml", waning.read("row3.toml") + self.GATE)
            value = result(waning, *AUTO, code=1)
            assert {code for code, _ in codes(value, "block")} == {"rolling_drop"}
            assert value["confirmation"]["answers"] == 4
            assert made.versions() == {"1.3": 60}
        finally:
            made.stop()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("flags", [AUTO, ("--compare", "--mode", "live"), ("--compare", "--mode", "record")])
def test_whatever_is_answered_no_repeat_is_asked_twice(
    box: Box, provider: Make, flags: tuple[str, ...], seed: int
) -> None:
    """Wavering answers: in every mode each side's repeats are asked in whole looks, each request once."""

    def wavering(asked: Asked) -> FakeReply:
        drawn = random.Random(f"{seed} {asked.version} {asked.case_id} {asked.times}").random()
        return concepts(asked, 4 if drawn < 0.6 else 3 if drawn < 0.8 else 0)

    made = provider(wavering)
    if flags is AUTO:
        box.row3("--mode", "record")
    first = len(made.asked) or 30
    value = box.row3(*flags, "--format", "json").json
    asked = value["confirmation"]["answers"] if "confirmation" in value else 0
    assert asked in (0, 2, 4)
    assert len(made.asked) == first + 30 * asked
    assert asked_once(made)
    assert not unconfirmed(value)
