"""What commands say where there is one of a thing."""

from __future__ import annotations

import re

import pytest

from tests.projects import Box, tiny
from tests.rows import every_row

NOUNS = "cases|answers|requests|recordings|responses|runs|concepts|relationships|canaries|prompts|files"
PLURAL = re.compile(rf"(?<![\d.,])\b1 (?:\w+ )?(?:{NOUNS})\b")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A suite of one case, with a baseline and a worse candidate."""
    made = tiny(tmp_path_factory.mktemp("one") / "bakery")
    for case_id in ("yeast", "oven"):
        made.path(f"golden/bread/{case_id}.gold.json").unlink()
    made.init()
    made.row3("promote", "v1.1", code=0)
    return made


@pytest.fixture(scope="module")
def fallen(box: Box) -> Box:
    box.prompt("1.2")
    box.record("1.2", {"rye": {"concepts": [{"label": "rye", "sourceQuote": "Rye is a cereal"}]}})
    return box


@every_row(
    "command",
    [
        ("--compare",),
        ("--compare", "-v"),
        ("--compare", "--format", "markdown"),
        ("--compare", "--mode", "replay", "--prompt", "extract-v1.0"),
        ("investigate", "rye"),
        ("lint",),
        ("history",),
        ("power",),
        ("cases",),
        ("flaky",),
        ("recordings", "list"),
        ("--dry-run", "--mode", "live"),
    ],
)
def test_one_of_a_thing_is_no_plural(fallen: Box, command: tuple[str, ...]) -> None:
    done = fallen.row3(*command)
    assert done.out
    assert not PLURAL.findall(done.out + done.err)


def test_the_one_case_without_an_answer(box: Box) -> None:
    box.prompt("1.3")
    done = box.row3("promote", "v1.3", code=3)
    box.path("prompts/extract-v1.3.md").unlink()
    assert "the run is incomplete: 1 of 1 case has no answer" in done.err
