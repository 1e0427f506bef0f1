"""The index over recordings, and merging into them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import Answer, Request, digest_head, digest_of, messages_of
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.recording_lines import from_line, merge, to_line, write_files
from row3.project.recordings import RecordingIndex, open_index
from row3.project.tree import WorkTree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "recordings/s"
    found.mkdir(parents=True)
    return found


def ask(case_id: str = "a", prompt: str = "p-v1.0", user: str = "hello", **changed: Any) -> Request:
    sent: dict[str, Any] = {"model": "m", "temperature": 0.0, "seed": None, "max_tokens": None, "repeat": 0}
    sent |= {key: value for key, value in changed.items() if key in sent}
    return Request(
        case_id=case_id,
        prompt=prompt,
        schema_name="concepts",
        schema={},
        prompt_digest=changed.get("prompt_digest", "pd"),
        variables={"text": changed.get("text", "a text")},
        messages=messages_of("", user),
        schema_digest="s",
        digest=digest_of(digest_head(**sent, schema_digest="s"), messages_of("", user)),
        **sent,
    )


def line_of(request: Request, text: str = "answer") -> str:
    return to_line(request, Answer(text, latency_s=1.23456), recorded_at="2026-01-01T00:00:00Z")


def test_a_line_is_read_as_it_was_written() -> None:
    request = ask('é "quoted" \u2028')
    text = 'Ünï "code" \\ \n\t\u2028'
    recording = from_line(line_of(request, text), where="x")
    assert (recording.digest, recording.case_id, recording.answer.text) == (request.digest, request.case_id, text)
    assert recording.answer.replayed
    assert recording.answer.latency_s == 1.235
    assert "\n" not in line_of(request, text)


def test_parts_of_the_token_counts_are_written_only_if_they_are_known() -> None:
    request, counted = ask(), Answer("answer", prompt_tokens=100, completion_tokens=50)
    plain = to_line(request, counted, recorded_at="")
    assert "cached" not in plain
    assert "reasoning" not in plain
    parts = to_line(request, counted._replace(cached_tokens=0, reasoning_tokens=40), recorded_at="")
    assert json.loads(parts)["response"] == json.loads(plain)["response"] | {"cachedTokens": 0, "reasoningTokens": 40}
    for line, expected in ((plain, (None, None)), (parts, (0, 40))):  # an older line has none
        answer = from_line(line, where="x").answer
        assert (answer.cached_tokens, answer.reasoning_tokens) == expected


def test_merging_sorts_and_the_newer_answer_wins(folder: Path) -> None:
    b, a, other = ask("b", user="b"), ask("a"), ask("a", prompt="q-v1.0", user="q")
    assert merge(folder.parents[1], "s", [line_of(b), line_of(a), line_of(other)]) == (3, 0, 0)
    assert merge(folder.parents[1], "s", [line_of(a)]) == (0, 0, 1)
    assert merge(folder.parents[1], "s", [line_of(a).replace('"inputDigest": "', '"inputDigest": "f')]) == (0, 0, 1)
    assert merge(folder.parents[1], "s", [line_of(a, "newer")]) == (0, 1, 0)
    lines = (folder / "p-v1.0.jsonl").read_text().splitlines()
    assert [json.loads(line)["caseId"] for line in lines] == ["a", "b"]
    index = open_index(WorkTree(folder.parents[1]), "s")
    assert len(index) == 3
    assert [found.answer.text for found in index.all()] == ["newer", "answer", "answer"]
    found = index.get(a.digest)
    assert found is not None
    assert found.answer.text == "newer"
    assert index.place(b.digest).endswith("p-v1.0.jsonl:2")
    assert [one.prompt for one in index.of_case("a")] == ["p-v1.0", "q-v1.0"]
    assert index.get("0" * 64) is None


def write(folder: Path, **files: list[str]) -> None:
    for name, lines in files.items():
        (folder / f"{name}-v1.0.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def test_two_answers_to_one_request_are_refused_when_read(folder: Path) -> None:
    a, b = ask("a"), ask("b", user="b")
    write(folder, p=[line_of(b), line_of(a, "one")], q=[line_of(b), line_of(a, "another")])
    index = open_index(WorkTree(folder.parents[1]), "s")
    name = f"recordings/{folder.name}"
    with pytest.raises(InvalidFile) as caught:
        index.get(a.digest)
    assert str(caught.value) == (
        f"{name}/p-v1.0.jsonl:2: the same request has a different answer in {name}/q-v1.0.jsonl:2. "
        "Remove one of the two lines."
    )
    found = index.get(b.digest)
    assert found is not None
    assert found.answer.text == "answer"
    # Listings still show them, and a miss may name one of them.
    assert [one.answer.text for one in index.all()] == ["answer", "one"]
    assert [one.case_id for one in index.of_case("a")] == ["a"]


def test_two_answers_in_one_file_are_refused_unless_equal(folder: Path) -> None:
    later = to_line(ask("a"), Answer("answer"), recorded_at="2026-02-02T00:00:00Z")
    write(folder, p=[line_of(ask("a")), later])
    found = open_index(WorkTree(folder.parents[1]), "s").get(ask("a").digest)
    assert found is not None
    assert found.recorded_at.startswith("2026-01")
    write(folder, p=[line_of(ask("a")), line_of(ask("a"), "another")])
    with pytest.raises(InvalidFile, match=r"p-v1.0.jsonl:1: the same request .*p-v1.0.jsonl:2"):
        open_index(WorkTree(folder.parents[1]), "s").get(ask("a").digest)


def test_recordings_win_over_a_journal(folder: Path) -> None:
    write(folder, p=[line_of(ask("a"))])
    journal = folder / "journal"
    journal.write_text(line_of(ask("a"), "newer") + "\n", encoding="utf-8")
    found = open_index(WorkTree(folder.parents[1]), "s", [journal]).get(ask("a").digest)
    assert found is not None
    assert found.answer.text == "answer"


def test_a_new_answer_replaces_that_of_a_copied_prompt(folder: Path) -> None:
    """A prompt and its unedited copy make the same request, so re-recording one re-records both."""
    first, copied = ask("a"), ask("a", prompt="p-v1.1")
    other = ask("b", user="b")
    assert first.digest == copied.digest
    merge(folder.parents[1], "s", [line_of(first), line_of(other)])
    assert merge(folder.parents[1], "s", [line_of(copied)]) == (0, 0, 1)
    assert len((folder / "p-v1.0.jsonl").read_text().splitlines()) == 2  # equal answers: nothing is taken away
    assert merge(folder.parents[1], "s", [line_of(copied, "newer")]) == (0, 1, 0)
    found = open_index(WorkTree(folder.parents[1]), "s").get(first.digest)
    assert found is not None
    assert found.answer.text == "newer"
    assert [json.loads(line)["caseId"] for line in (folder / "p-v1.0.jsonl").read_text().splitlines()] == ["b"]


def test_merging_leaves_other_conflicts_alone(folder: Path) -> None:
    write(folder, p=[line_of(ask("a"), "one"), line_of(ask("a"), "another")])
    merge(folder.parents[1], "s", [line_of(ask("b", user="b"))])
    assert len((folder / "p-v1.0.jsonl").read_text().splitlines()) == 3
    with pytest.raises(InvalidFile, match="different answer"):
        open_index(WorkTree(folder.parents[1]), "s").get(ask("a").digest)


def test_lines_written_by_other_tools_are_found(folder: Path) -> None:
    value = json.loads(line_of(ask("é")))
    path = folder / "p-v1.0.jsonl"
    path.write_text("\n" + json.dumps(dict(reversed(value.items()))) + "\r\n", encoding="utf-8")
    index = open_index(WorkTree(folder.parents[1]), "s")
    assert [one.case_id for one in index.of_case("é")] == ["é"]


def test_a_child_process_reads_without_disturbing_its_parent(folder: Path) -> None:
    requests = [ask(f"c{i}", user=str(i)) for i in range(50)]
    merge(folder.parents[1], "s", [line_of(request, request.texts[-1]) for request in requests])
    index = open_index(WorkTree(folder.parents[1]), "s")
    assert index.get(requests[0].digest) is not None
    child = os.fork()
    if child == 0:
        good = all(
            (found := index.get(r.digest)) and found.answer.text == r.texts[-1] for r in requests for _ in range(20)
        )
        os._exit(0 if good else 1)
    for _ in range(20):
        for request in requests:
            found = index.get(request.digest)
            assert found is not None
            assert found.answer.text == request.texts[-1]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_nearest_recording_and_the_first_field_that_differs(folder: Path) -> None:
    merge(folder.parents[1], "s", [line_of(ask(model="other", temperature=1.0)), line_of(ask(temperature=0.5))])
    near = open_index(WorkTree(folder.parents[1]), "s").nearest(ask())
    assert near is not None
    assert near[1:] == ("temperature", 0.5, 0.0)
    same = open_index(WorkTree(folder.parents[1]), "s").nearest(ask(temperature=0.5, user="edited"))
    assert same is not None
    assert same[1] == "rendered text"
    assert open_index(WorkTree(folder.parents[1]), "s").nearest(ask("nobody")) is None
    assert open_index(WorkTree(folder.parents[1]), "s").nearest(ask(prompt="q-v1.0")) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line[:-5], "not JSON"),
        (lambda line: line.replace('"schemaVersion": 1', '"schemaVersion": 9'), "newer than this row3 knows"),
        (lambda line: line.replace('"response"', '"reply"'), "not a recording: field `response` is missing"),
        (lambda line: line.replace('"answer"', "7"), "field `response.text`: should be a string"),
        (lambda line: "<<<<<<< ours", "merge-conflict markers"),
        (lambda line: "[]", "not a recording"),
        (lambda line: line.replace('"repeat": 0', '"repeat": 1e400'), "too large"),
        *(
            (
                lambda line, key=key, value=value: re.sub(f'"{key}": [^,}}]*', f'"{key}": {value}', line),
                f"response.{key}",
            )
            for key in ("promptTokens", "completionTokens", "latencyS", "finishReason", "servedModel")
            for value in ("[]", "true", "-1")
        ),
    ],
)
def test_a_broken_line_is_named(folder: Path, change: Any, message: str) -> None:
    (folder / "p-v1.0.jsonl").write_text(change(line_of(ask())) + "\n", encoding="utf-8")
    with pytest.raises(InvalidFile) as caught:
        list(open_index(WorkTree(folder.parents[1]), "s").all())
    assert message in str(caught.value)
    assert "p-v1.0.jsonl:1" in str(caught.value)


def test_overwriting_an_indexed_file_gives_no_wrong_answer(folder: Path) -> None:
    numbers = range(2)
    path, asked = folder / "p-v1.0.jsonl", [ask(f"c{n:04}", user=f"{n:04}") for n in numbers]
    lines = [line_of(request, f"{number:04}") for number, request in zip(numbers, asked, strict=True)]
    for anew in ([*lines[1:], lines[0]], lines[1:], []):  # all lines have one length
        write_files({path: lines})
        index = open_index(WorkTree(folder.parents[1]), "s")
        path.write_text("".join(f"{line}\n" for line in anew), encoding="utf-8")
        os.utime(path, ns=(1, 1))
        with pytest.raises(EnvironmentFault) as caught:
            index.answer(asked[0])
        assert "p-v1.0.jsonl: the file was changed while it was being read. Run the command again." in str(caught.value)
    write_files({path: lines})
    index = open_index(WorkTree(folder.parents[1]), "s")
    path.unlink()  # what was indexed is still what is read
    assert index.answer(asked[0]) == Answer("0000", latency_s=1.235, replayed=True)


def test_a_link_is_refused(folder: Path) -> None:
    (folder / "p-v1.0.jsonl").symlink_to("/dev/zero")
    with pytest.raises(InvalidFile, match="p-v1.0.jsonl: this is a symbolic link"):
        open_index(WorkTree(folder.parents[1]), "s")


def test_a_torn_last_line_of_a_journal_is_left_out(folder: Path) -> None:
    path = folder / "j.jsonl"
    path.write_text(line_of(ask("a")) + "\n" + line_of(ask("b", user="b"))[:-30], encoding="utf-8")
    index = RecordingIndex()
    index.add_journal(path)
    assert index.digests() == [ask("a").digest]


def test_a_line_holds_nothing_of_the_connection() -> None:
    value = json.loads(line_of(ask()))
    assert set(value) == {
        "digest", "schemaVersion", "caseId", "prompt", "repeat", "request", "response", "answerDigest", "recordedAt"
    }  # fmt: skip
