"""The quarantine in words, for every form of a result."""

from __future__ import annotations

from row3.domain.printable import cells
from row3.domain.quarantine import NO_QUARANTINE, Quarantine, Quarantined
from row3.reports.cases import changed_text
from row3.reports.json_values import quarantine_json
from row3.reports.sentences import quarantine_note

RYE = Quarantined("rye", "2026-11-22", "2026-12-01", "wavers, see #12", "Zoë <zoe@example.org>")
OVEN = Quarantined("oven", "2026-11-01", "2026-11-20", "timed out")
BOTH = Quarantine((RYE, Quarantined("yeast", "2026-11-22", "2026-12-24", "two names")), (OVEN,), ())


def test_how_many_until_when_and_why() -> None:
    assert quarantine_note(BOTH).texts == [
        "! quarantined: 2 cases (rye until 2026-12-01: wavers, see #12; yeast until 2026-12-24: two names)",
        "! quarantine expired, counted again: oven on 2026-11-20",
    ]


def test_one_that_the_change_itself_brings() -> None:
    assert quarantine_note(Quarantine(waiting=(RYE,))).texts == [
        "! quarantine added by this change, not used to judge it: rye"
    ]


def test_nothing_to_say() -> None:
    assert quarantine_note(NO_QUARANTINE).texts == []
    assert quarantine_json(NO_QUARANTINE) == {"quarantined": []}


def test_a_note_is_a_warning() -> None:
    note = quarantine_note(BOTH)
    assert note.tone == "warning"
    assert str(note.texts[0]).startswith("! quarantined: 2 cases")


def test_control_characters_are_gone() -> None:
    evil = Quarantine((Quarantined("rye", "2026-11-22", "2026-12-01", "red\x1b[31m\nline"),))
    assert "\x1b" not in "".join(map(str, quarantine_note(evil).texts))


def test_json() -> None:
    assert quarantine_json(BOTH) == {
        "quarantined": [
            {
                "case": "rye", "since": "2026-11-22", "until": "2026-12-01", "reason": "wavers, see #12",
                "who": "Zoë <zoe@example.org>",
            },
            {"case": "yeast", "since": "2026-11-22", "until": "2026-12-24", "reason": "two names", "who": ""},
        ],
        "quarantineExpired": [
            {"case": "oven", "since": "2026-11-01", "until": "2026-11-20", "reason": "timed out", "who": ""}
        ],
    }  # fmt: skip


def test_what_was_done() -> None:
    put = changed_text(RYE, "golden/bread/quarantine.json", left=2, released=False)
    assert put.startswith("rye does not count until 2026-12-01; 2 cases in quarantine.\n")
    assert "Commit golden/bread/quarantine.json. Hooks" in put
    assert all(cells(line) <= 80 for line in put.split("\n"))
    out = changed_text(RYE, "golden/bread/quarantine.json", left=0, released=True)
    assert (
        out
        == "rye is out of quarantine and counts again; 0 cases in quarantine.\nCommit golden/bread/quarantine.json.\n"
    )
