from __future__ import annotations

from importlib.resources import files

from row3.matching.lexicon.lists import lists, pairs
from tests.rows import every_row

FILES = sorted(one.name for one in files("row3.matching.lexicon").joinpath("data").iterdir())


@every_row("name", FILES)
def test_each_file_names_its_source_and_has_no_section_twice(name: str) -> None:
    text = files("row3.matching.lexicon").joinpath("data", name).read_text(encoding="utf-8")
    assert "Source: " in text.partition("\n[")[0]
    sections = [line for line in text.splitlines() if line.startswith("[")]
    assert len(sections) == len(set(sections)) == len(lists(name.removesuffix(".txt")))
    assert all(lists(name.removesuffix(".txt")).values())


def test_a_misspelling_differs_from_its_word() -> None:
    misspelt = pairs(lists("misspellings")["misspelt"])
    assert all(one != other for one, other in misspelt.items())
