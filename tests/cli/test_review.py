"""`row3 review`: every period in every form."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.browsers import PHONE, browser
from tests.monitored import jsonl
from tests.produced import made, score
from tests.projects import Box

PERIODS = ("weekly", "monthly", "quarterly")
TO = ("--until", "2026-11-24")


@pytest.fixture
def produced(box: Box) -> Box:
    """The small project with some weeks of production."""
    lines: list[Any] = []
    for n in range(40):
        version = "v1.1" if n < 20 else "v1.0"
        lines += [made(f"r{n}", n / 2, 2, n % 3, version=version), score(f"r{n}", 1 + n % 5)]
    box.write("row3.toml", box.read("row3.toml") + "\n[monitor]\nsample = 1.0\n")
    box.write("production.jsonl", jsonl(*lines))
    box.row3("monitor", "ingest", "production.jsonl", code=0)
    return box


@pytest.mark.parametrize("period", PERIODS)
def test_the_same_time_gives_the_same_review(produced: Box, period: str) -> None:
    text = produced.row3("review", period, *TO, code=0).out
    assert text.startswith(f"── {period.capitalize()} review: 2026-")
    assert produced.row3("review", period, *TO, code=0).out == text
    found = produced.row3("review", period, *TO, "--format", "json", code=0).json
    assert (found["schemaVersion"], found["review"], found["to"]) == (1, period, "2026-11-24T00:00:00Z")
    assert produced.row3("review", period, "--until", "2020-01-01", code=0).out.count("0 records") >= 1


def test_the_ending_of_out_chooses_the_form(produced: Box) -> None:
    for _ in range(2):  # what was written may be written again
        for name in ("r.md", "r.html", "r.json", "r.txt"):
            assert produced.row3("review", "weekly", *TO, "--out", name, code=0).out == ""
    assert produced.read("r.txt").startswith("── Weekly review")
    assert json.loads(produced.read("r.json"))["review"] == "weekly"
    assert "![Errors and latency by day](r-days.svg)" in produced.read("r.md")
    assert "Errors and latency by day</title>" in produced.read("r-days.svg")
    page = produced.read("r.html")
    assert "<title>Weekly review · row3</title>" in page and 'src="data:image/svg+xml;base64,' in page
    assert "![" not in produced.row3("review", "weekly", *TO, "--format", "markdown", code=0).out


def test_a_file_of_others_is_not_written_over(produced: Box) -> None:
    produced.write("r-days.svg", "<svg>mine</svg>")
    refused = produced.row3("review", "weekly", *TO, "--out", "r.md", code=2)
    assert "r-days.svg" in refused.err
    assert produced.read("r-days.svg") == "<svg>mine</svg>"


def test_a_command_that_is_named_drafts_the_case(produced: Box) -> None:
    found = produced.row3("review", "monthly", *TO, "--format", "json", code=0).json
    command = found["candidates"]["rows"][0]["command"]
    assert re.fullmatch(r"row3 cases new forests --from-trace r\d+", command)
    produced.row3(*command.split()[1:], code=0)
    assert '"draft": true' in produced.read("golden/bread/forests.gold.json")
    after = produced.row3("review", "monthly", *TO, "--format", "json", code=0).json
    assert after["candidates"]["rows"] == []


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("daily",), "'daily' is not one of"),
        (("weekly", "--until", "noon"), "`noon` is not a time"),
        (("monthly", "--until", "0001-01-01"), "cannot end before 1970"),
    ],
)
def test_what_cannot_be_reviewed_is_one_message(box: Box, args: tuple[str, ...], told: str) -> None:
    assert told in box.row3("review", *args, code=2).err


@pytest.mark.slow
def test_the_page_is_drawn_and_fits_a_phone(produced: Box) -> None:
    for period in PERIODS:
        produced.row3("review", period, *TO, "--out", f"{period}.html", code=0)
    with browser() as started:
        for period in PERIODS:
            page = started.new_context(viewport=PHONE).new_page()
            said: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.goto(produced.path(f"{period}.html").resolve().as_uri())
            assert said == []
            assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 300)")
            assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
            assert page.inner_text("h1").startswith(f"{period.capitalize()} review: 2026-")
