"""`--shard` and `row3 merge` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless

SAVED = re.compile(r"shard (\S+) saved as (\S+\.json)")


def test_shards_on_two_machines_make_one_run(small: Box) -> None:
    other = small.copy(small.root.parent / "other")
    here, there = small.row3("--shard", "1/2", code=0), other.row3("--shard", "2/2", code=0)
    assert here.out.startswith("bread · extract v1.1 (candidate; none promoted) · baker-1 · replay · shard 1/2 alone")
    paths = [box.path(found[2]) for box, done in ((small, here), (other, there)) if (found := SAVED.search(done.err))]
    assert small.row3("merge", *map(str, paths), code=0).out == small.row3(code=0).out
    # What is merged is a run like any other.
    assert small.row3("diff", "latest", "latest", code=0).out


def test_shards_of_outputs_are_found_by_their_ids(small: Box) -> None:
    lines = [json.dumps({"caseId": case_id, "output": flawless(case)}) for case_id, case in CASES.items()]
    small.write("outputs.jsonl", "\n".join([*lines[:-1], ""]))
    score = ("score", "bread", "--outputs", "outputs.jsonl")
    done = [small.row3(*score, "--shard", f"{number}/4", "--format", "json") for number in range(1, 5)]
    assert sorted(each.code for each in done) == [0, 0, 0, 3]
    assert [each.json["shard"] for each in done] == ["1/4", "2/4", "3/4", "4/4"]
    ids = [found[2].split("/")[-1].removesuffix(".json") for each in done if (found := SAVED.search(each.err))]
    merged, whole = (
        small.row3("merge", *ids, "--format", "json", code=3),
        small.row3(*score, "--format", "json", code=3),
    )
    gone = {"runId": "", "at": ""}
    assert merged.json | gone == whole.json | gone


@pytest.mark.parametrize("text", ["9/8", "0/8", "a/b"])
def test_a_wrong_spelling(small: Box, text: str) -> None:
    assert small.row3("--shard", text, code=2).err == (
        f"error: --shard: `{text}` is not a shard. Write N/OF, such as 3/8, with N from 1 to OF.\n"
    )


@pytest.mark.parametrize(
    ("options", "fix"),
    [
        (("--compare",), "a part has no verdict: merge the shards, then run `row3 diff baseline`"),
        (("--baseline",), "a baseline has all cases: record the shards, then run `row3 --baseline`"),
        (("--all",), "leave out --all"),
        (("--case", "rye"), "Leave out --case and --tag"),
        (("--only", "failing"), "a shard is a part of the whole suite"),
    ],
)
def test_what_a_part_cannot_tell(small: Box, options: tuple[str, ...], fix: str) -> None:
    assert fix in small.row3("--shard", "1/2", *options, code=2).err


def test_a_promotion_has_no_shards(small: Box) -> None:
    assert "`row3 promote` has no option `--shard`" in small.row3("promote", "v1.1", "--shard", "1/2", code=2).err


def test_a_shard_asks_for_its_own_cases(
    small: Box, model: Callable[[Callable[[str, int], FakeReply]], FakeModel]
) -> None:
    asked: list[str] = []

    def reply(text: str, _: int) -> FakeReply:
        asked.append(text)
        return FakeReply(json.dumps(flawless(CASES["rye"])))

    server = model(reply)
    small.write("row3.toml", small.read("row3.toml") + f'base_url = "{server.url}"\n')
    done = [small.row3("--mode", "live", "--shard", f"{number}/3", OPENAI_API_KEY="k") for number in (1, 2, 3)]
    assert [each.code for each in done] == [0, 0, 0], done
    assert len(asked) == 3
    paths = [found[2] for each in done if (found := SAVED.search(each.err))]
    merged = small.row3("merge", *paths, "--format", "json", code=0)
    assert merged.json["usage"]["requests"] == 3
    assert len(list(small.path(".row3/runs").glob("*.answers.jsonl"))) == 1


def test_cases_recordings_and_outputs_in_several_files_are_the_same_project(small: Box) -> None:
    before = small.row3("--format", "json", code=0).json
    files = sorted(small.path("golden/bread").iterdir())
    lines = [json.dumps(json.loads(path.read_text())) for path in files]
    for path in files:
        path.unlink()
    small.write("golden/bread/one.jsonl", lines[0] + "\n")
    small.write("golden/bread/two.jsonl", "\n".join(lines[1:]))
    (file,) = (path for path in small.path("recordings/bread").iterdir() if "v1.1" in path.name)
    recorded = file.read_text().splitlines(keepends=True)
    file.write_text("".join(recorded[:1]))
    small.write("recordings/bread/extract-v1.1-more.jsonl", "".join(recorded[1:]))
    after = small.row3("--format", "json", code=0).json
    gone = {"runId": "", "at": ""}
    assert after | gone == before | gone
    outputs = [json.dumps({"caseId": case_id, "output": flawless(case)}) for case_id, case in CASES.items()]
    for number, line in enumerate(outputs):
        small.write(f"outputs/{number}.jsonl", line + "\n")
    scored = small.row3("score", "bread", "--outputs", "outputs", "--format", "json", code=0).json
    assert scored["metrics"] == before["metrics"]
    # An edited line is an edited case.
    small.row3("--baseline", code=0)
    small.init()
    small.replace("golden/bread/two.jsonl", "gluten lattice theory", "gluten lattice hypothesis")
    small.commit("edit")
    changed = small.row3("--compare", "--against", "HEAD~1", "--format", "json").json["reasons"]
    assert any("gluten lattice" in each["text"] for each in changed), changed


def test_lint_names_the_line(small: Box) -> None:
    line = json.dumps({"id": "spelt", **CASES["rye"], "expectedConcepts": [{"label": ""}]})
    small.write("golden/bread/more.jsonl", json.dumps({"id": "oats", **CASES["rye"]}) + "\n\n" + line + "\n")
    found = small.row3("lint", "--format", "json").json["findings"]
    assert {(each["file"], each["line"]) for each in found if each["level"] == "error"} >= {
        ("golden/bread/more.jsonl", 3)
    }
