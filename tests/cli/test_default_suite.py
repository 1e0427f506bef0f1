"""What a change makes of `suite` in row3.toml: another default suite is told, the one that holds anyway is not."""

from __future__ import annotations

import json

from tests.judging import said
from tests.projects import CASES, SUITE, Box

KEY = f'suite = "{SUITE}"\n'


def without_key(box: Box) -> None:
    box.replace("row3.toml", KEY, "")
    box.commit("one suite, no default")
    box.git("branch", "-f", "main", "work")


def second_suite(box: Box) -> None:
    for case_id, case in CASES.items():
        box.write(f"golden/cake/{case_id}.gold.json", json.dumps({"id": case_id} | case) + "\n")


def test_to_write_down_the_only_suite_changes_nothing(work: Box) -> None:
    without_key(work)
    work.write("row3.toml", KEY + work.read("row3.toml"))
    assert "default suite" not in said(work, 0)


def test_nor_does_to_leave_it_out(work: Box) -> None:
    work.replace("row3.toml", KEY, "")
    assert "default suite" not in said(work, 0)


def test_nor_to_name_it_when_a_second_one_comes(work: Box) -> None:
    without_key(work)
    second_suite(work)
    work.write("row3.toml", KEY + work.read("row3.toml"))
    assert "default suite" not in said(work, 0)


def test_to_name_the_second_one_does(work: Box) -> None:
    without_key(work)
    second_suite(work)
    work.write("row3.toml", 'suite = "cake"\n' + work.read("row3.toml"))
    done = work.row3("--compare", "--suite", SUITE, "--against", "main", code=1, CI="1")
    assert f"another default suite than at main: {SUITE} → cake" in " ".join(done.out.split())


def test_no_default_is_called_so(work: Box) -> None:
    second_suite(work)
    work.commit("a second suite")
    work.git("branch", "-f", "main", "work")
    work.replace("row3.toml", KEY, "")
    done = work.row3("--compare", "--suite", SUITE, "--against", "main", code=1, CI="1")
    assert f"another default suite than at main: {SUITE} → none" in " ".join(done.out.split())
