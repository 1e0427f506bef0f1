"""Answers read by typed fields: those of the slow reading, or none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.requests import Answer, Request, digest_text
from row3.errors import InvalidFile
from row3.store.quick_answers import quick_answer
from row3.store.recording_index import MANY
from row3.store.recordings import from_line, open_index, to_line
from row3.store.tree import WorkTree

AT = "2026-01-01T00:00:00Z"


def ask(number: int = 0, case_id: str = "a") -> Request:
    digest = digest_text(f"{number}")
    return Request(case_id, "p-v1.0", 0, "m", 0.0, None, None, "", "u", "concepts", {}, "s", "p", {}, digest)


def slowly(raw: bytes) -> Answer | None:
    """What the reading of one line gives; None for one that is refused or whose answer was edited."""
    try:
        recording = from_line(raw, where="x")
    except InvalidFile:
        return None
    answer = recording.answer
    edited = recording.answer_digest and recording.answer_digest != digest_text(answer.text)
    return None if edited else answer


words = st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=5)
"""A quote in a name is taken for that of a key, and the line read slowly."""
answers = st.builds(
    Answer,
    st.text(max_size=20),
    st.sampled_from(("stop", "length", "")),
    st.one_of(st.none(), words),
    st.one_of(st.none(), st.integers(0, 2**70)),
    st.one_of(st.none(), st.integers(0, 9)),
    st.one_of(st.none(), st.integers(0, 3), st.floats(0, 1e300)),
)
lines = st.builds(lambda case_id, answer: to_line(ask(0, case_id), answer, recorded_at=AT), words, answers)
unsealed = st.one_of(lines, lines.map(lambda line: re.sub('"answerDigest": "[0-9a-f]*", ', "", line)))
"""Some without the digest by which an edited answer is known."""
values: Any = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.just(10**400),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.just({"text": "x"}),
)
FIELDS = ("digest", "schemaVersion", "caseId", "prompt", "repeat", "request", "response", "answerDigest", "recordedAt")
RESPONSE = ("text", "finishReason", "servedModel", "promptTokens", "completionTokens", "latencyS", "more")


@given(lines)
def test_a_line_that_row3_wrote_is_read_quickly_and_rightly(line: str) -> None:
    found = quick_answer(line.encode())
    assert found is not None
    assert repr(found) == repr(slowly(line.encode()))


@given(
    unsealed,
    st.sampled_from((None, "request", "response")),
    st.sampled_from((*FIELDS, *RESPONSE)),
    values,
    st.booleans(),
)
def test_a_line_with_another_value_is_read_as_slowly(
    line: str, group: str | None, key: str, value: Any, gone: bool
) -> None:
    changed = json.loads(line)
    place = changed if group is None else changed[group]
    if gone:
        place.pop(key, None)
    else:
        place[key] = value
    raw = json.dumps(changed).encode()
    found = quick_answer(raw)
    assert found is None or repr(found) == repr(slowly(raw))


SPLINTERS = b'"|\\|\\ud83d|\\u0041|\xff|\xed\xa0\x80|\x00|\x7f|1|.0|e9| |,|}|null|NaN|"repeat": 3, |"more": "\xff", '
pieces = st.sampled_from([b'"schemaVersion": 2, ', b'"text": "other", ', b"\n", *SPLINTERS.split(b"|")])


@given(unsealed, st.floats(0, 1), st.integers(0, 8), pieces)
def test_a_line_that_was_edited_by_hand_is_read_as_slowly(line: str, where: float, cut: int, piece: bytes) -> None:
    raw = line.encode()
    start = int(where * len(raw))
    edited = raw[:start] + piece + raw[start + cut :]
    found = quick_answer(edited)
    assert found is None or repr(found) == repr(slowly(edited))


@given(
    lines, st.integers(0, 30), st.sampled_from((b'"repeat": 3, ', b'"response": {"text": ""}, ', b'"request": {}, '))
)
def test_a_line_with_a_key_twice_is_not_read(line: str, after: int, twice: bytes) -> None:
    raw = line.encode()
    commas = [place + 2 for place in range(len(raw)) if raw[place : place + 3] == b', "']
    start = commas[after % len(commas)]
    edited = raw[:start] + twice + raw[start:]
    assert quick_answer(edited) is None


@pytest.mark.parametrize("spaced", [":", " :", "\t:"])
@pytest.mark.parametrize(("before", "key"), [("text", "text"), ("finishReason", "text"), ("model", "seed")])
def test_what_a_key_that_stands_twice_would_hide_is_refused(before: str, key: str, spaced: str) -> None:
    line = to_line(ask(), Answer('{"concepts": [{"label": "rye: a cereal"}]}'), recorded_at=AT).encode()
    edited = line.replace(f'"{before}":'.encode(), f'"{key}"{spaced} "{{}}", "{before}":'.encode(), 1)
    assert quick_answer(line) is not None
    assert quick_answer(edited) is None
    with pytest.raises(InvalidFile, match=f"x: key `{key}` stands twice in one object"):
        from_line(edited, where="x")


OTHERS: list[tuple[str, Any]] = [
    ("model", "other"),
    ("temperature", 0.5),
    ("seed", 1),
    ("maxTokens", 5),
    ("repeat", 1),
    ("schemaDigest", "x"),
]


@pytest.mark.parametrize("many", [0, MANY])
@pytest.mark.parametrize(("key", "value"), OTHERS)
def test_a_line_that_says_it_is_of_another_request_is_refused(
    tmp_path: Path, many: int, key: str, value: object
) -> None:
    others = [to_line(ask(number), Answer(f"no {number}"), recorded_at=AT) for number in range(10, 10 + many)]
    line = json.loads(to_line(ask(1), Answer("first"), recorded_at=AT))
    (line if key == "repeat" else line["request"])[key] = value
    index = recorded(tmp_path, [*others, json.dumps(line)])
    with pytest.raises(InvalidFile, match=f"is of another request than its digest says: its `{key}` is `{value}`"):
        index.answer(ask(1))
    del (line if key == "repeat" else line["request"])[key]
    if key != "repeat":  # what it does not hold, it does not say
        assert recorded(tmp_path, [*others, json.dumps(line)]).answer(ask(1)) == Answer("first", replayed=True)


@pytest.mark.parametrize("many", [0, MANY])
@pytest.mark.parametrize("otherwise", [False, True])
def test_a_line_of_another_prompt_or_case_is_looked_at(tmp_path: Path, many: int, otherwise: bool) -> None:
    others = [to_line(ask(number), Answer(f"no {number}"), recorded_at=AT) for number in range(10, 10 + many)]
    index = recorded(tmp_path, [*others, to_line(ask(1, "b"), Answer("first"), recorded_at=AT)])
    index.asks_otherwise = lambda recording, request: otherwise
    if not otherwise:
        assert index.answer(ask(1)) == Answer("first", replayed=True)
        return
    with pytest.raises(InvalidFile, match="p-v1.0 asks something else about `b`"):
        index.answer(ask(1))


def recorded(root: Path, lines: list[str]) -> Any:
    folder = root / "recordings/s"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p-v1.0.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return open_index(WorkTree(root), "s")


@pytest.mark.parametrize("many", [0, MANY])
def test_among_few_or_many_an_edited_or_doubled_answer_is_found(tmp_path: Path, many: int) -> None:
    others = [to_line(ask(number), Answer(f"no {number}"), recorded_at=AT) for number in range(10, 10 + many)]
    whole, edited, twice, again = (
        to_line(ask(number), Answer(text), recorded_at=AT)
        for number, text in ((1, "first"), (2, "second"), (3, "third"), (3, "another"))
    )
    broken = to_line(ask(4), Answer("fourth"), recorded_at=AT).replace('"text": "fourth"', '"text": 4')
    index = recorded(tmp_path, [*others, whole, edited.replace("second", "secund"), twice, again, broken])
    assert index.answer(ask(1)) == Answer("first", replayed=True)
    assert index.answer(ask(5)) is None
    assert index.answer(ask(10)) == (Answer("no 10", replayed=True) if many else None)
    for number, says in ((2, "the recorded answer was edited"), (3, "has another answer"), (4, "wrong type")):
        with pytest.raises(InvalidFile, match=says) as error:
            index.answer(ask(number))
        assert error.value.where == f"recordings/s/p-v1.0.jsonl:{many + (number if number < 4 else 5)}"
