"""`row3 monitor`: files in, figures out, a sample out and its ratings in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.monitored import jsonl, record
from tests.projects import Box
from tests.rows import every_row

FEEDBACK = {"id": "r1", "at": "2026-11-02T00:00:00Z", "thumb": "up"}


def figure(box: Box, key: str, *options: str) -> dict[str, Any]:
    found = json.loads(box.row3("monitor", "figures", "--format", "json", *options, code=0).out)["figures"]
    return next(each for each in found if each["figure"] == key)


def test_from_a_file_to_figures(box: Box) -> None:
    records = [record(f"r{n}", at=f"2026-11-01T1{n}:00:00Z", latencyMs=1000 + 1500 * n) for n in range(3)]
    box.write("production.jsonl", jsonl(*records, '{"id": "cut', FEEDBACK, FEEDBACK | {"id": "unknown"}))

    first = box.row3("monitor", "ingest", "production.jsonl", code=0)
    again = box.row3("monitor", "ingest", "production.jsonl", code=0)

    assert first.out == "3 records new · 0 known · 2 ratings and scores new, 0 known\n"
    assert again.out == "0 records new · 3 known · 0 ratings and scores new, 2 known\n"
    assert "note: production.jsonl:4: incomplete line" in first.err
    assert "1 rating or score kept for records still to come" in first.err
    assert len(box.read(".row3/monitor/aside.jsonl").splitlines()) == 1
    assert figure(box, "latency") == {
        "figure": "latency", "unit": "ms", "value": 2500, "low": None, "high": 3000, "met": True, "n": 3
    }  # fmt: skip
    assert figure(box, "latency", "--since", "2026-11-01T11:00:00Z")["met"] is False
    assert figure(box, "latency", "--until", "2026-11-01T11:00:00Z")["n"] == 1
    assert figure(box, "feedback")["value"] == 5
    table = box.row3("monitor", "figures", code=0).out
    assert table.startswith("Production · 3 records · 2026-11-01T10:00:00Z to 2026-11-01T12:00:00Z\n")
    assert "Concepts per topic" in table and "15–30  missed" in table


def test_an_expert_rates_the_sample(box: Box) -> None:
    box.write("row3.toml", box.read("row3.toml") + "\n[monitor]\nsample = 1.0\n")
    box.write("production.jsonl", jsonl(record("r1"), record("r2")))
    box.row3("monitor", "ingest", "production.jsonl", code=0)

    assert "2 records to rate" in box.row3("monitor", "sample", "--out", "rate.jsonl", code=0).err
    assert "2 lines of a sample without a rating" in box.row3("monitor", "ingest", "rate.jsonl", code=0).err
    refused = box.row3("monitor", "sample", "--out", "rate.jsonl", code=2)
    assert "the file exists and may hold ratings" in refused.err

    lines = box.read("rate.jsonl").splitlines()
    assert json.loads(lines[0])["record"] == {key: part for key, part in record("r1").items() if part is not None}
    box.write("rate.jsonl", "\n".join([lines[0].replace('"acceptable":null', '"acceptable":false'), lines[1]]))
    box.row3("monitor", "ingest", "rate.jsonl", code=0)

    assert figure(box, "acceptable") | {"n": 1, "value": 0.0, "met": False} == figure(box, "acceptable")
    box.row3("monitor", "sample", "--out", "rest.jsonl", code=0)
    assert [json.loads(line)["id"] for line in box.read("rest.jsonl").splitlines()] == ["r2"]


@pytest.mark.parametrize("empty", ["domain", "version", "model", "latencyMs", "costUsd", "error"])
def test_a_sample_has_no_empty_field_but_the_one_to_fill_in(box: Box, empty: str) -> None:
    box.write("row3.toml", box.read("row3.toml") + "\n[monitor]\nsample = 1.0\n")
    bare = record("r1", concepts=[{"label": "fungi", "confidence": None}, {"label": "oaks", "sourceQuote": None}])
    box.write("production.jsonl", jsonl(bare | {empty: None}))
    box.row3("monitor", "ingest", "production.jsonl", code=0)
    box.row3("monitor", "sample", "--out", "rate.jsonl", code=0)
    line = box.read("rate.jsonl")
    assert line.count("null") == 1 and json.loads(line)["acceptable"] is None
    assert empty not in json.loads(line)["record"]


@every_row(
    ("args", "told"),
    [
        (("ingest", "missing.jsonl"), "error: missing.jsonl: the file does not exist"),
        (("ingest", "."), "error: .: this is a folder, not a file. Name a file"),
        (("ingest", "row3.toml"), "error: row3.toml: no line is a valid record"),
        (("figures", "--since", "yesterday"), "`yesterday` is not a time"),
        (("sample",), "--out"),
        *(
            ((*command, "--since", since, "--until", "2026-11-01"), "the period ends before it begins. Name an earlier")
            for command in (("figures",), ("alerts",), ("sample", "--out", "sample.jsonl"))
            for since in ("2026-11-01", "2026-11-02", "1h")
        ),
    ],
)
def test_what_cannot_be_done_is_one_message(box: Box, args: tuple[str, ...], told: str) -> None:
    done = box.row3("monitor", *args, code=2)
    assert told in done.err and done.out == ""


def test_an_empty_store_has_no_figures(box: Box) -> None:
    assert "no records in this period" in box.row3("monitor", "figures", code=0).out
    assert figure(box, "concepts")["value"] is None


def test_a_url_comes_from_the_environment_alone(box: Box) -> None:
    box.write("row3.toml", box.read("row3.toml") + '\n[monitor]\nurl_variable = "MONITOR_URL"\n')
    for value, told in (("", "$MONITOR_URL is not a postgresql:// URL"), ("mysql://x", "is not a postgresql:// URL")):
        assert told in box.row3("monitor", "figures", MONITOR_URL=value, code=2).err
