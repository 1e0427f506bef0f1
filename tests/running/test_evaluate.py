"""One case through the pipeline; repeats as one."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from row3.domain.asks import EmbeddingRequest
from row3.domain.prompts import Lineup
from row3.domain.requests import Answer, NoAnswer, digest_text
from row3.domain.scores import CaseScore
from row3.domain.secrets import HIDDEN
from row3.errors import UsageError
from row3.kinds import all_kinds
from row3.project.config import ProviderConfig
from row3.project.recordings import open_index
from row3.project.saved_runs import parse_record
from row3.running.evaluate import Asking, More, Walk, average, steps
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking, replay
from row3.running.session import Session
from row3.running.stages import Overrides, parameters_from, parameters_of
from tests.conftest import Open
from tests.projects import CASES, Box, flawless

KINDS = all_kinds()


def walk(session: Session, box: Box, *answers: Answer | NoAnswer, repeats: int = 1) -> CaseScore:
    lineup = line_up(session.project, session.suite, role="candidate")
    asking = make_asking(session.suite, lineup, RunOptions(repeats=repeats))
    stored = session.project.cases.case("golden/bread/rye.gold.json", session.suite.kind)
    run = steps(asking, stored)
    given = iter(answers)
    score = None
    try:
        next(run)
        while True:
            run.send(next(given))
    except StopIteration as end:
        score = end.value
    assert isinstance(score, CaseScore)
    return score


GOOD = Answer(json.dumps(flawless(CASES["rye"])))


def test_the_three_states(small: Box, opened: Open) -> None:
    session = opened()
    assert walk(session, small, GOOD).metrics["overall"] == pytest.approx(0.85)
    failed = walk(session, small, NoAnswer("time-out after 60 s", "Try again"))
    assert (failed.status, failed.metrics) == ("failed", {})
    assert failed.problem == "extract-v1.1: time-out after 60 s. Try again"
    bad = walk(session, small, Answer("no"))
    assert (bad.status, bad.raw, set(bad.metrics.values())) == ("bad_answer", "no", {0.0})


@pytest.mark.parametrize(
    "reason",
    ["content_filter", "SAFETY", "content_filter: RECITATION", "PROHIBITED_CONTENT", "sensitive", "content-filter"],
)
def test_a_filtered_answer_is_unusable_even_with_text(small: Box, opened: Open, reason: str) -> None:
    for text in (GOOD.text, ""):
        bad = walk(opened(), small, Answer(text, reason))
        assert (bad.status, bad.problem) == ("bad_answer", "extract-v1.1: filtered: stopped by the content filter")
        assert bad.tally["badAnswers"] == {"filtered": 1}
        assert set(bad.metrics.values()) == {0.0}


def test_an_empty_answer_is_unusable(small: Box, opened: Open) -> None:
    for text in ("", " \n"):
        bad = walk(opened(), small, Answer(text))
        assert (bad.status, bad.problem) == ("bad_answer", "extract-v1.1: empty: the reply has no text")
    cut = walk(opened(), small, Answer("", "length"))
    assert cut.problem == "extract-v1.1: empty: the reply has no text (cut off by the token limit)"


def test_a_hidden_key_is_noted(small: Box, opened: Open) -> None:
    score = walk(opened(), small, Answer(GOOD.text.replace('"sourceQuote": "rye"', f'"sourceQuote": "rye {HIDDEN}"')))
    assert score.status == "scored"
    assert score.notes == ("extract-v1.1: a key in the answer is hidden",)


def test_a_repeat_without_answer_fails_the_case(small: Box, opened: Open) -> None:
    assert walk(opened(), small, GOOD, NoAnswer("down"), repeats=3).status == "failed"


def test_repeats_are_averaged_bad_answers_with_their_zeros(small: Box, opened: Open) -> None:
    score = walk(opened(), small, GOOD, Answer("no"), GOOD, GOOD, repeats=4)
    assert score.status == "scored"
    assert score.metrics["recall"] == pytest.approx(0.75)
    assert score.spread["recall"] == pytest.approx(0.5)
    assert score.repeats == 4
    assert any("1 of 4 repeats gave a bad answer" in note for note in score.notes)
    assert walk(opened(), small, Answer("no"), Answer("nor this"), repeats=2).status == "bad_answer"


def test_the_mean_of_one_is_itself() -> None:
    score = CaseScore("x", "scored", {"recall": 0.5}, counts={"recall": (1, 2)})
    assert average(KINDS["extraction"], [score, score]).metrics == {"recall": 0.5}
    assert average(KINDS["extraction"], [score, score]).counts == {"recall": (2, 4)}


def test_flags_override_the_file_and_the_file_the_prompt(small: Box, opened: Open) -> None:
    session = opened()
    prompt = line_up(session.project, session.suite, role="candidate").prompts[0]
    assert parameters_of(prompt, ProviderConfig(model="m"), Overrides()).temperature == 0
    assert parameters_of(prompt, ProviderConfig(model="m", temperature=0.5), Overrides()).temperature == 0.5
    strong = parameters_of(prompt, ProviderConfig(model="m", temperature=0.5), Overrides("n", 0.0, 0, 7))
    assert (strong.model, strong.temperature, strong.seed, strong.max_tokens) == ("n", 0.0, 0, 7)
    with pytest.raises(UsageError, match="no model is set"):
        parameters_of(prompt, ProviderConfig(), Overrides())
    low = ProviderConfig(model="m", reasoning_effort="low", top_p=0.5, api="responses")
    strong = parameters_of(
        prompt, low, Overrides(extra={"reasoning_effort": "high", "temperature": 1.0, "api": "chat"})
    )
    assert (strong.temperature, strong.extra) == (1.0, {"reasoning_effort": "high", "top_p": 0.5})
    assert parameters_from(strong.as_json()) == strong
    assert len({strong, parameters_from(strong.as_json()), parameters_of(prompt, low, Overrides())}) == 2


def test_equal_requests_have_equal_digests_and_others_differ(small: Box, opened: Open) -> None:
    session = opened()
    lineup = line_up(session.project, session.suite, role="candidate")
    variables = {"source_text": "a", "topic": ""}

    def digest(text: str = "a", repeat: int = 0, **given: object) -> str:
        options = RunOptions(overrides=Overrides(**given))  # type: ignore[arg-type]
        asking = make_asking(session.suite, lineup, options)
        return asking.request(lineup.prompts[0], "rye", variables | {"source_text": text}, repeat).digest

    flags = ({"model": "n"}, {"temperature": 1.0}, {"seed": 0}, {"max_tokens": 9})
    variants = {digest("b"), digest(repeat=1), *(digest(**given) for given in flags)}
    assert digest() == digest()
    assert len(variants | {digest()}) == 7


def test_a_result_names_its_requests_and_answers(small: Box, opened: Open) -> None:
    session = opened()
    asking = make_asking(session.suite, line_up(session.project, session.suite, role="candidate"), RunOptions())
    result = next(replay(session.project, session.suite, asking, RunOptions()))
    index = open_index(session.project.tree, "bread")
    texts = [recording.answer.text for digest in result.requests for recording in index.every(digest)]
    assert texts
    assert result.answers == tuple(map(digest_text, texts))
    record = parse_record(result.line, where="test")
    assert (record.requests, record.answer_digests, record.found) == (result.requests, result.answers, result.found)


@pytest.mark.parametrize(("repeats", "answers"), [(1, 0), (1, 2), (3, 4), (5, 20)])
def test_further_repeats_follow_the_others_and_only_for_their_cases(opened: Open, repeats: int, answers: int) -> None:
    asking = Asking(opened().suite, Lineup((), {}), {}, repeats, more=More(answers, frozenset({"rye"})))
    assert [*asking.repeats_of("rye")] == [*range(repeats + answers)]
    assert [*asking.repeats_of("oven")] == [*range(repeats)]
    alone = replace(asking, more=replace(asking.more, alone=True))
    assert [*asking.repeats_of("oven"), *alone.repeats_of("rye")] == [*asking.repeats_of("rye")]
    assert (asking.most_repeats, alone.most_repeats) == (repeats + answers, answers)


@pytest.mark.parametrize(
    ("repeats", "passes", "answers", "wanted"),
    [(3, 2, 3, 2), (3, 2, 5, 4), (3, 2, 7, 5), (3, 3, 5, 5), (1, 1, 3, None), (1, 2, 5, None), (2, None, 6, None)],
)
def test_further_repeats_demand_the_same_share_of_passes(
    opened: Open, repeats: int, passes: int | None, answers: int, wanted: int | None
) -> None:
    suite = opened().suite
    suite = replace(suite, rules=replace(suite.rules, passes=passes))
    assert Asking(suite, Lineup((), {}), {}, repeats).passes(answers) == wanted


def test_a_walk_reads_and_scores_beside_the_event_loop_if_it_is_given_where() -> None:
    threads: list[int] = []

    def case() -> Any:
        while len(threads) < 3:
            threads.append(threading.get_ident())
            yield EmbeddingRequest("m", ())
        return CaseScore("a", "scored", {})

    class Vectors:
        async def answer(self, question: Any) -> Any:
            return ()

    async def walked() -> CaseScore:
        with ThreadPoolExecutor(1) as one:
            beside = partial(asyncio.get_running_loop().run_in_executor, one)
            return await Walk(case(), Vectors()).to_end(beside)

    assert asyncio.run(walked()).case_id == "a"
    assert threads[0] == threading.get_ident()
    assert threading.get_ident() not in threads[1:]
    assert len(set(threads[1:])) == 1
