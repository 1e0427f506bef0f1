"""Front matter is read as YAML reads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.store import front_matter

ROOT = Path(__file__).parents[2]
PIECES = [
    *(
        "name",
        "version",
        "y",
        "true",
        "null",
        "No",
        "ON",
        "Yes",
        "~",
        "1",
        "0",
        "01",
        "0.7",
        "1.",
        ".5",
        "1e3",
        "1_000",
    ),
    *("0x1f", "12:30", "2026-01-01", "v1.0", '"', '"a b"', '"1.0"', "'x'", "\\", '"a\\nb"', ": ", ":", " ", "  ", "#"),
    *(" # no", "- ", "-", "---", "...", "[", "]", "{a: b}", "|", ">", "&a", "*a", "!t", "%", "@", "`", "?", ",", "="),
    *(
        "<<",
        "é",
        "中",
        "\t",
        "\u2028",
        "\ufeff",
        "\x07",
        "a",
        "two words",
        "don't",
        "\n",
        "\n  ",
        "a: b\n",
        "inf",
        "nan",
    ),
]
LINES = [
    *("name: decompose-concepts", 'version: "1.0"', "output: concepts", "temperature: 0.2", "seed: 7", "model: gpt-4o"),
    "description: First version. People, organisations (and places), each once; with a model's own words.",
]


@settings(max_examples=1000)
@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
    | st.lists(st.sampled_from(LINES) | st.lists(st.sampled_from(PIECES), max_size=3).map("".join)).map("\n".join)
    | st.tuples(st.sampled_from(["", "a: ", "a: b "]), st.text(max_size=12)).map("".join)
)
def test_what_is_read_by_hand_is_what_yaml_reads(front: str) -> None:
    plain = front_matter._plain(front)
    if plain is not None:
        by_yaml = front_matter._by_yaml(front)
        assert (plain, repr(plain)) == (by_yaml, repr(by_yaml))


@pytest.mark.parametrize("line", LINES)
def test_lines_of_the_usual_kind_need_no_yaml(line: str) -> None:
    assert front_matter._plain(line) == front_matter._by_yaml(line)


def test_shipped_prompts_need_no_yaml() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom row3.domain.prompts import parse_reference\n"
        "from row3.store.prompts import read_prompt\nfrom row3.store.tree import WorkTree\n"
        f"root = Path({str(ROOT)!r})\n"
        "for path in root.glob('prompts/*-v*.md'):\n    read_prompt(WorkTree(root), parse_reference(path.name))\n"
        "print('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_line_of_a_fault() -> None:
    with pytest.raises(front_matter.NotYamlError, match="stands twice") as caught:
        front_matter.parse_front_matter("a: 1\nb: 2\na: 3")
    assert caught.value.line == 4
