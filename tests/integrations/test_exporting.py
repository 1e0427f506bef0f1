"""`row3 export` to services that are down, slow, closed, busy or broken: nothing is lost and nothing is there twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from row3.errors import InvalidFile, Undelivered
from row3.integrations import http
from row3.integrations.exporting import Outbox
from row3.integrations.finished import FinishedRun, find_run, read_finished
from row3.project.project import open_project
from tests.integrations.receivers import Collector, Fault, Tracking
from tests.projects import CASES, Box, wait_until
from tests.runner import Done

TOKEN = "t0ken-of-the-bakery"
WAITS = "Kept in .row3/outbox/otel; `row3 export --to otel` sends it"


@pytest.fixture
def collector() -> Iterator[Collector]:
    one = Collector()
    yield one
    one.stop()


def export(box: Box, address: str, *args: str, code: int = 0) -> Done:
    keys = {"OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{TOKEN}"}
    done = box.row3("export", *args, "--to", "otel", code=code, OTEL_EXPORTER_OTLP_ENDPOINT=address, **keys)
    assert TOKEN not in done.out + done.err
    return done


def waiting(box: Box, sink: str = "otel") -> list[str]:
    return sorted(path.stem for path in box.path(f".row3/outbox/{sink}").glob("*.json"))


def run_id(box: Box) -> str:
    return max(path.stem for path in box.path(".row3/runs").glob("*.json"))


def test_the_latest_run_is_sent(live: Box, collector: Collector) -> None:
    done = export(live, collector.address)
    assert done.out == f"sent to otel: {run_id(live)}\n"
    assert (len(collector.spans), waiting(live)) == (7, [])
    result = export(live, collector.address, run_id(live)[:-1], "--format", "json").json
    assert result == {"schemaVersion": 1, "to": "otel", "sent": [run_id(live)], "waiting": []}
    assert len(collector.spans) == 7


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(401, b'{"message": "no such key t0ken-of-the-bakery"}'), "401"),
        (Fault(403), "Check the key in OTEL_EXPORTER_OTLP_HEADERS"),
        (Fault(404), "Check the address"),
        (Fault(308, headers={"Location": "http://127.0.0.1:9/"}), "308"),
        (Fault(429, headers={"Retry-After": "3600"}), "429"),
        (Fault(500, b"<html>"), "answered 500 to POST /v1/traces"),
        (Fault(503), "503"),
        (Fault(400, b'{"message": "odd span"}'), "odd span"),
        (Fault(cut=True), "no answer from 127.0.0.1"),
    ],
    ids=lambda value: str(value.status) + "cut" * value.cut if isinstance(value, Fault) else "",
)
def test_what_is_not_taken_waits_and_goes_with_the_next_export(
    live: Box, collector: Collector, fault: Fault, said: str
) -> None:
    collector.faults = [fault]
    done = export(live, collector.address, code=3)
    (error,) = done.errors
    assert said in error
    assert WAITS in error
    assert done.out == f"waiting for otel: {run_id(live)}\n"
    assert waiting(live) == [run_id(live)]
    assert export(live, collector.address).out == f"sent to otel: {run_id(live)}\n"
    assert (len(collector.spans), waiting(live)) == (7, [])


def test_a_service_that_is_down_loses_nothing_even_of_runs_that_are_gone(live: Box, collector: Collector) -> None:
    gone = Collector()
    gone.stop()
    for _ in range(2):
        done = export(live, gone.address, code=3)
        assert "Check that it is running" in done.errors[0]
    sent = run_id(live)
    for path in live.path(".row3/runs").iterdir():
        path.unlink()
    assert export(live, collector.address).out == f"sent to otel: {sent}\n"
    assert len(collector.spans) == 7
    assert "no saved run yet" in export(live, collector.address, code=2).err


def test_a_slow_service_is_not_waited_for(live: Box, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT_S", 0.2)
    collector.faults = [Fault(wait_s=60)]
    assert "did not finish its answer within 0.2 s" in export(live, collector.address, code=3).errors[0]
    assert waiting(live) == [run_id(live)]


def test_a_service_that_asks_for_a_moment_gets_it(live: Box, collector: Collector) -> None:
    collector.faults = [Fault(429, headers={"Retry-After": "0"}), Fault(503, headers={"Retry-After": "0.01"})]
    export(live, collector.address)
    assert len(collector.paths) == 3
    collector.faults = [Fault(429, headers={"Retry-After": "0"})] * 3
    assert "429" in export(live, collector.address, code=3).errors[0]


def test_content_is_sent_where_the_settings_say_so(live: Box, collector: Collector) -> None:
    text = CASES["rye"]["sourceText"].encode()
    export(live, collector.address)
    assert text not in b"".join(each.SerializeToString() for each in collector.requests)
    live.write("row3.toml", live.read("row3.toml") + "[export]\ncontent = true\n")
    export(live, collector.address)
    assert text in b"".join(each.SerializeToString() for each in collector.requests)


def test_a_run_that_holds_a_key_is_not_sent_and_not_kept(live: Box, collector: Collector) -> None:
    live.write("row3.toml", live.read("row3.toml") + "[export]\ncontent = true\n")
    secret = {"OPENAI_API_KEY": "slows the proofing"}  # the text of a case
    address = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
    done = live.row3("export", "--to", "otel", code=2, **secret, **address)
    assert "the run contains the value of OPENAI_API_KEY" in done.err
    assert (collector.paths, waiting(live)) == ([], [])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "no address to send to"),
        ("localhost:4318", "not an http or https address"),
        ("https://zoe:secret@example.org", "not an http or https address"),
        ("http://example.org", "plain http to another machine"),
    ],
)
def test_an_address_that_is_none_is_told_and_nothing_is_kept(live: Box, address: str, said: str) -> None:
    done = export(live, address, code=2)
    assert said in done.err
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in done.err
    assert "secret" not in done.err
    assert waiting(live) == []


def test_another_name_is_told_with_the_near_miss(live: Box) -> None:
    assert "Did you mean `mlflow`?" in live.row3("export", "--to", "mlfow", code=2).err
    assert "otel, mlflow" in live.row3("export", "--to", "x", code=2).err
    assert (
        "there is no run `x`" in live.row3("export", "x", "--to", "mlflow", code=2, MLFLOW_TRACKING_URI="https://x").err
    )


def test_without_the_messages_of_opentelemetry_the_extra_is_named(live: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.trace.v1.trace_pb2", None)
    assert "pip install 'row3[otel]'" in export(live, "https://example.org", code=2).err


def test_mlflow_keeps_and_sends_too(live: Box) -> None:
    server = Tracking()
    server.after(3, Fault(500, json.dumps({"error_code": "INTERNAL", "message": "disk full"}).encode()))
    done = live.row3("export", "--to", "mlflow", code=3, MLFLOW_TRACKING_URI=server.address)
    assert "disk full" in done.errors[0]
    assert waiting(live, "mlflow") == [run_id(live)]
    live.row3("export", "--to", "mlflow", code=0, MLFLOW_TRACKING_URI=server.address)
    assert (len(server.runs), waiting(live, "mlflow")) == (1, [])
    server.stop()


@pytest.mark.slow
def test_an_export_that_is_killed_loses_nothing(live: Box, collector: Collector) -> None:
    collector.faults = [Fault(wait_s=60)]
    process = live.start("export", "--to", "otel", OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    wait_until(lambda: bool(collector.paths))
    process.kill()
    process.communicate()
    assert waiting(live) == [run_id(live)]
    assert export(live, collector.address).out == f"sent to otel: {run_id(live)}\n"
    assert (len(collector.spans), waiting(live)) == (7, [])


@pytest.mark.slow
def test_two_exports_at_once_make_one_run(live: Box) -> None:
    server = Tracking()
    both = [live.start("export", "--to", "mlflow", MLFLOW_TRACKING_URI=server.address) for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out.decode(), err) == (0, f"sent to mlflow: {run_id(live)}\n", b"")
    assert (len(server.runs), server.experiments) == (1, ["bread"])
    server.stop()


@dataclass
class Receiver:
    """A sink that fails as a test says."""

    name: str = "test"
    fault: Undelivered | None = None
    refuses: str = ""
    """The run that alone is refused."""
    got: list[FinishedRun] = field(default_factory=list)
    tries: int = 0

    def write(self, run: FinishedRun) -> None:
        self.tries += 1
        if self.fault is not None:
            raise self.fault
        if run.id == self.refuses:
            raise Undelivered("refused", service_wide=False)
        self.got.append(run)


def runs_of(box: Box, count: int) -> list[FinishedRun]:
    project = open_project(box.root)
    run = read_finished(project, find_run(project))
    return [run.replace(header=run.header.replace(run_id=f"2026010{number}T000000Z-0")) for number in range(count)]


def test_what_arrives_is_gone_from_the_outbox(live: Box, tmp_path: Path) -> None:
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver()
    (run,) = runs_of(live, 1)
    done = outbox.deliver(receiver, [run])
    assert (done.sent, done.waiting, done.error) == ([run.id], [], None)
    assert (receiver.got, outbox.waiting()) == ([run], [])
    assert outbox.deliver(receiver).sent == []


def test_a_receiver_that_is_down_is_tried_once_and_everything_waits_in_order(live: Box, tmp_path: Path) -> None:
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver(fault=Undelivered("down"))
    runs = runs_of(live, 3)
    for count, run in enumerate(runs, 1):
        done = outbox.deliver(receiver, [run])
        assert (done.sent, len(done.waiting), str(done.error), receiver.tries) == ([], count, "down.", count)
    receiver.fault = None
    assert outbox.deliver(receiver, [runs[0]]).sent == [run.id for run in runs]  # the first, given again, once
    assert receiver.got == runs
    assert outbox.waiting() == []


def test_a_run_that_is_refused_by_itself_holds_up_no_other(live: Box, tmp_path: Path) -> None:
    runs = runs_of(live, 3)
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver(refuses=runs[0].id)
    done = outbox.deliver(receiver, runs)
    assert (done.sent, done.waiting) == ([run.id for run in runs[1:]], [runs[0].id])
    assert str(done.error) == "refused."


def test_a_damaged_file_is_named(live: Box, tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / ".row3", "test")
    (run,) = runs_of(live, 1)
    outbox.put(run)
    (file,) = (tmp_path / ".row3/outbox/test").iterdir()
    whole = file.read_bytes()
    for damaged in (whole[:100], b"[]", b'{"schemaVersion": 99}', b"\xff"):
        file.write_bytes(damaged)
        with pytest.raises(InvalidFile, match=r"\.row3/outbox/test/20260100T000000Z-0\.json"):
            outbox.deliver(Receiver())
    file.write_bytes(whole)
    assert outbox.get(run.id) == run


def test_an_answer_is_read_up_to_a_limit(live: Box, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LONGEST_ANSWER_BYTES", 1000)
    collector.faults = [Fault(200, body=b"x" * 1001)]
    assert "has more than 1,000 bytes" in export(live, collector.address, code=3).errors[0]
    assert waiting(live) == [run_id(live)]
