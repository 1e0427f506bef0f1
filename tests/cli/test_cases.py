"""`row3 cases` as a process in a git repository."""

from __future__ import annotations

import json

import pytest

from tests.bakery import bakery, found, record
from tests.projects import Box, copy_of
from tests.rows import every_row


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Four versions, each of which finds more; `ember` is always flawless, `iris` never found."""
    box = bakery(tmp_path_factory.mktemp("cases") / "project")
    for version in ("1.2", "1.3"):
        box.prompt(version)
    for n, version in enumerate(("1.0", "1.1", "1.2", "1.3"), 1):
        record(box, version, found(n) | {"ember": 4, "iris": 0, "lemon": 5 - n})
    box.init()
    return box


box = copy_of("versions")


def test_one_version_under_several_parameters_is_told_apart(box: Box) -> None:
    answers = [
        {"caseId": path.name.removesuffix(".gold.json"), "prompt": "extract-v1.3", "response": "{}"}
        for path in box.path("golden").rglob("*.gold.json")
    ]
    box.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in answers))
    box.row3("recordings", "import", "answers.jsonl", "--max-tokens", "400", code=0)
    titles = box.row3("cases", "--format", "json", code=0).json["versions"]
    assert len(set(titles)) == len(titles) == 5
    assert [title.rpartition(" · ")[2] for title in titles if " v1.3 " in title] == ["maxTokens none", "maxTokens 400"]


@every_row(
    ("arguments", "says"),
    [
        (("--case", "zz*"), "no case matches `zz*`"),
        (("--prompt", "extrac-v1.0"), "Did you mean `extract`?"),
        (("--suite", "bred"), "Did you mean `bread`?"),
        (("anchor",), "there is no command `anchor`"),
    ],
)
def test_wrong_arguments(box: Box, arguments: tuple[str, ...], says: str) -> None:
    done = box.row3("cases", *arguments, code=2)
    assert (done.out, len(done.errors)) == ("", 1)
    assert says in done.err


def test_an_edited_recording_is_told(box: Box) -> None:
    box.replace("recordings/bread/extract-v1.1.jsonl", "anchor needs", "anchor never needs")
    done = box.row3("cases", code=2)
    assert len(done.errors) == 1
    assert "was edited" in done.err
