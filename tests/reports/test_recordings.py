"""What `row3 import` says of an import."""

from __future__ import annotations

from row3.commands.importing.drafts import NotImported
from row3.commands.importing.write import ImportedCases
from row3.reports.recordings import imported_document, kept_text
from row3.reports.terminal import Style, terminal_text


def text(done: ImportedCases, *, dry_run: bool = False) -> str:
    return terminal_text(imported_document(done, dry_run=dry_run), Style(False, 120, False))


def test_what_was_written_and_what_was_left_out() -> None:
    left_out = (NotImported("a", "javascript", "x > 1\n" * 20, "no such check"), NotImported("", "env", {"k": 1}, "w"))
    done = ImportedCases("own", ("a",), ("b", "c"), ("row3.toml",), left_out, ())
    lines = [line.rstrip() for line in text(done).strip().split("\n")]
    assert lines[:2] == ["1 golden case of suite own written, 2 unchanged", "row3.toml written"]
    assert [line.split()[0] for line in lines[-2:]] == ["a", "–"]
    assert lines[-2].endswith("x >…  no such check")
    assert '{"k": 1}' in lines[-1]
    assert list(kept_text(done)) == [
        "2 parts of the file were not imported: see not-imported.jsonl beside the cases of suite own"
    ]
    assert text(done, dry_run=True).startswith("1 golden case of suite own would be written")


def test_a_long_list_ends_and_none_is_none() -> None:
    many = tuple(NotImported(f"c{at}", "python", "", "no such check") for at in range(53))
    assert "and 3 more in not-imported.jsonl" in text(ImportedCases("own", (), (), (), many, ()))
    assert list(kept_text(ImportedCases("own", (), (), (), (), ()))) == []
