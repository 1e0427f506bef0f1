from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.prompts import PromptRef, Version, parse_reference, parse_version
from tests.rows import every_row

NUMBERS = st.integers(0, 999_999)


@every_row(
    ("text", "version"),
    [("v1.0", (1, 0)), ("1.1", (1, 1)), ("v0.0", (0, 0)), ("v10.20", (10, 20)), ("v999999.999999", (999999, 999999))],
)
def test_versions_are_read_with_and_without_v(text: str, version: tuple[int, int]) -> None:
    assert parse_version(text) == Version(*version)


@every_row(
    "text",
    [
        "", "v", "v1", "1", "v1.", "v.1", "v1.0.0", "v01.0", "v1.00", "V1.0", "v1.0\n", " v1.0", "v-1.0", "v1,0",
        "../x", "v1.0/../x", "v1.0.md", "v1000000.0", "v١.٠", "v1.x",
    ],
)  # fmt: skip
def test_anything_else_is_not_a_version(text: str) -> None:
    assert parse_version(text) is None


def test_versions_are_ordered_by_number_not_by_letter() -> None:
    texts = ["v1.10", "v1.9", "v10.0", "v2.0", "v0.99"]
    assert [str(v) for v in sorted(parse_version(text) for text in texts)] == [
        "v0.99", "v1.9", "v1.10", "v2.0", "v10.0",
    ]  # fmt: skip


@every_row("suffix", ["", ".md"])
def test_references_are_read_from_names_and_file_names(suffix: str) -> None:
    assert parse_reference(f"decompose-concepts-v1.1{suffix}") == PromptRef("decompose-concepts", Version(1, 1))


@every_row(
    "text",
    [
        "", "v1.1", "-v1.1", "decompose", "decompose-concepts", "decompose-concepts-1.1", "decompose-concepts-v1",
        "Decompose-v1.0", "a--b-v1.0", "-a-v1.0", "../a-v1.0", "a/b-v1.0", "a-v1.0\n", "a-v1.0.MD", "a-v01.0",
        "a b-v1.0", "ä-v1.0",
    ],
)  # fmt: skip
def test_anything_else_is_not_a_reference(text: str) -> None:
    assert parse_reference(text) is None


def test_a_name_may_itself_look_like_a_version() -> None:
    assert parse_reference("a-v2-v1.0") == PromptRef("a-v2", Version(1, 0))


PARTS = st.text("abcxyz019", min_size=1, max_size=6)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map("-".join)


@given(NUMBERS, NUMBERS, NAMES)
@settings(deadline=None)
def test_references_survive_being_written_and_read(major: int, minor: int, name: str) -> None:
    ref = PromptRef(name, Version(major, minor))
    assert parse_reference(str(ref)) == ref
    assert parse_version(str(ref.version)) == ref.version
