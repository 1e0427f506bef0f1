"""The index over a file of outputs."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.project.json_lines import MAX_LINE_BYTES
from row3.project.outputs import OutputIndex
from tests.rows import every_row


def index_of(tmp_path: Path, content: str | bytes) -> OutputIndex:
    path = tmp_path / "out.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return OutputIndex(path, where="out.jsonl")


def test_finds_each_output_in_any_key_order(tmp_path: Path) -> None:
    index = index_of(
        tmp_path,
        '{"caseId": "a", "output": {"concepts": []}}\n'
        '{"output": "raw text", "caseId": "b", "more": 1}\n'
        '  { "caseId" : "c" , "error": "timed out"}\n'
        '{"caseId": "d\\u00e9", "output": null, "schemaVersion": 1}\n',
    )
    assert len(index) == 4
    a, b, c, d = map(index.get, ("a", "b", "c", "dé"))
    assert a is not None
    assert a.value == {"concepts": []}
    assert a.where == "out.jsonl:1"
    assert b is not None
    assert b.value == "raw text"
    assert c is not None
    assert (c.value, c.error) == (None, "timed out")
    assert d is not None
    assert (d.value, d.error) == (None, "")
    assert index.get("e") is None


def test_an_index_is_found_again_in_another_process(tmp_path: Path) -> None:
    ids = ["a", "dé", "\ud800"]
    index = index_of(tmp_path, "".join(json.dumps({"caseId": each, "output": each * 2}) + "\n" for each in ids))
    program = "import pickle, sys; index, ids = pickle.load(sys.stdin.buffer); print([index.get(i).value for i in ids])"
    for seed in ("1", "2"):
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, input=pickle.dumps((index, ids)), env=env, capture_output=True, check=True)
        assert done.stdout.decode().strip() == str([each * 2 for each in ids])
    again = pickle.dumps(index)
    (tmp_path / "out.jsonl").write_text("{}\n")
    with pytest.raises(InvalidFile, match=r"out.jsonl: the file has another size than it had"):
        pickle.loads(again)


def test_accepts_bom_crlf_blank_lines_and_no_final_newline(tmp_path: Path) -> None:
    content = '\ufeff{"caseId": "a", "output": 1}\r\n\r\n   \n{"caseId": "b", "output": 2}'
    index = index_of(tmp_path, content)
    found = [each for each in map(index.get, "ab") if each is not None]
    assert [each.value for each in found] == [1, 2]
    assert [each.where for each in found] == ["out.jsonl:1", "out.jsonl:4"]


@every_row(
    ("line", "message"),
    [
        ("{", "out.jsonl:2: not JSON"),
        ("[]", "out.jsonl:2: the line is not a JSON object"),
        ('{"caseid": "x", "output": {}}', "out.jsonl:2: field `caseId` is missing; is it `caseid`"),
        ('{"caseId": 7, "output": {}}', "out.jsonl:2: field `caseId` is not text"),
        ('{"output": NaN, "caseId": "x"}', "out.jsonl:2: NaN is not a JSON number"),
        ('{"output": 1, "output": 2, "caseId": "x"}', "out.jsonl:2: key `output` occurs twice"),
        ("<<<<<<< HEAD", "out.jsonl:2: the file has merge-conflict markers"),
        ('{"caseId": "a", "output": {}}', "out.jsonl:2: case `a` occurs twice, in lines 1 and 2"),
        ('{"caseId": "a", "prompt": "p-v1.0", "response": "x"}', "recordings import FILE"),
    ],
)
def test_refuses_a_bad_line_when_the_file_is_opened(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        index_of(tmp_path, f'{{"caseId": "a", "output": {{}}}}\n{line}\n')
    assert message in str(caught.value)


@every_row(
    ("line", "message"),
    [
        ('{"caseId": "x", "output": {"a": ', "not JSON"),
        ('{"caseId": "x", "output": {"a": Infinity}}', "Infinity is not a JSON number"),
        ('{"caseId": "x", "output": {"a": 1, "a": 2}}', "key `a` occurs twice"),
        ('{"caseId": "x", "output": {}, "error": "timed out"}', "both an `output` and an `error`"),
        ('{"caseId": "x", "output": {"a": %s}}' % ("9" * 5000), "a number has too many digits"),
        ('{"caseId": "x"}', "neither an `output` nor an `error`"),
        ('{"caseId": "x", "output": 1, "schemaVersion": 2}', "newer than this row3 knows"),
        ('{"caseId": "x", "output": 1} {}', "not JSON"),
        ('{"caseId": "x", "output": ' + "[" * 200_000 + "}", "nested too deeply"),
    ],
)
def test_refuses_a_bad_output_with_its_line_when_it_is_read(tmp_path: Path, line: str, message: str) -> None:
    index = index_of(tmp_path, f"\n{line}\n")
    with pytest.raises(InvalidFile, match=r"out\.jsonl:2") as caught:
        index.get("x")
    assert message in str(caught.value)


def test_refuses_other_encodings_a_missing_file_a_folder_and_a_huge_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="UTF-16"):
        index_of(tmp_path, '{"caseId": "a", "output": {}}'.encode("utf-16"))
    with pytest.raises(InvalidFile, match=r"out.jsonl:1: the line is not UTF-8 \(byte 0xe9\)"):
        index_of(tmp_path, '{"caseId": "é", "output": {}}'.encode("latin-1"))
    with pytest.raises(InvalidFile, match="does not exist"):
        OutputIndex(tmp_path / "none", where="none")
    with pytest.raises(InvalidFile, match="more than"):
        index_of(tmp_path, b" " * (MAX_LINE_BYTES + 1))


def test_a_folder_of_files_is_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"here: the folder has no \.jsonl file"):
        OutputIndex(tmp_path, where="here")
    for name, ids in (("b.jsonl", "cd"), ("a.jsonl", "ab"), (".hidden.jsonl", "x"), ("notes.txt", "y")):
        lines = (json.dumps({"caseId": each, "output": f"the output of {each}"}) + "\n" for each in ids)
        (tmp_path / name).write_text("".join(lines))
    index = OutputIndex(tmp_path, where="here")
    assert list(index.case_ids()) == ["a", "b", "c", "d"]
    found = index.get("d")
    assert found is not None
    assert (found.value, found.where) == ("the output of d", "here/b.jsonl:2")
    assert index.get("x") is None
    (tmp_path / "c.jsonl").write_text('{"caseId": "b", "output": 1}\n')
    with pytest.raises(InvalidFile, match=r"here/c\.jsonl:1: case `b` occurs twice, in line 2 of here/a\.jsonl and 1"):
        OutputIndex(tmp_path, where="here")


def test_unknown_cases_are_refused_with_a_hint(tmp_path: Path) -> None:
    index = index_of(tmp_path, "".join(json.dumps({"caseId": name, "output": 1}) + "\n" for name in ("bank-runs", "x")))

    def hint(case_id: str, known: Collection[str]) -> str:
        return f"{case_id} is none of {', '.join(known)}"

    with pytest.raises(
        InvalidFile, match=r"out.jsonl:1: `bank-runs` is not a golden case.*bank-runs is none of bank-run"
    ):
        index.refuse_unknown_cases({"bank-run"}, hint)
    index.refuse_unknown_cases({"bank-runs", "x"}, hint)


CONCEPT = '{"label": "Rye: a cereal", "sourceQuote": "Rye."}'


@every_row("again", ['"label": ""', '"label" : "Rye"', '"sourceQuote": "Rye."', '"label":"Rye"'])
def test_duplicate_keys_are_refused(tmp_path: Path, again: str) -> None:
    line = f'{{"caseId": "a", "output": {{"concepts": [{{{again}, {CONCEPT[1:]}]}}}}\n'
    with pytest.raises(InvalidFile, match=r"out\.jsonl:1: .*occurs twice in one object"):
        index_of(tmp_path, line).get("a")


def test_several_processes_read_one_index(tmp_path: Path) -> None:
    lines = [json.dumps({"caseId": f"c{n}", "output": {"concepts": [{"label": f"L{n}"}]}}) for n in range(50)]
    index = index_of(tmp_path, "\n".join(lines))
    assert index.get("c0") is not None  # the file is open from here on

    def labels() -> list[str]:
        return [found.value["concepts"][0]["label"] for n in range(50) if (found := index.get(f"c{n}"))]

    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(send, json.dumps([labels() for _ in range(20)]).encode())
        os._exit(0)
    here = [labels() for _ in range(20)]
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        there = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert here == there == [[f"L{n}" for n in range(50)]] * 20


def line(case_id: str, label: str) -> str:
    return json.dumps({"caseId": case_id, "output": {"concepts": [{"label": label}]}}) + "\n"


def test_replacing_an_indexed_file_changes_no_output(tmp_path: Path) -> None:
    path, other = tmp_path / "o.jsonl", tmp_path / "other"
    path.write_text(line("a", "x") + line("b", "y"), encoding="utf-8")
    other.write_text(line("c", "z"), encoding="utf-8")
    index = OutputIndex(path, where="o.jsonl")
    other.replace(path)
    found = index.get("b")
    assert found is not None
    assert found.value["concepts"][0]["label"] == "y"


@every_row("quick", [True, False])
def test_overwriting_an_indexed_file_mixes_up_no_outputs(tmp_path: Path, quick: bool) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(line("a", "x") + line("b", "y"), encoding="utf-8")
    index = OutputIndex(path, where="o.jsonl")
    path.write_text(line("b", "y") + line("a", "x"), encoding="utf-8")
    with pytest.raises(InvalidFile) as caught:
        index.get("a")
    assert str(caught.value) == "o.jsonl:1: the file was changed while it was being read. Run the command again."


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with pytest.raises(InvalidFile, match="this is a pipe"):
        OutputIndex(Path(f"/dev/fd/{reading}"), where="pipe")
    os.close(reading)


def test_the_file_is_closed_with_the_index(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(line("a", "x"), encoding="utf-8")
    index = OutputIndex(path, where="o.jsonl")
    assert index.get("a") is not None
    file = index._lines.spot(0).file._file
    del index
    gc.collect()
    assert file.closed
