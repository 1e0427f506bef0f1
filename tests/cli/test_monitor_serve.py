"""`row3 monitor serve` as a process."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from tests.projects import Box
from tests.rows import every_row

TOKEN = {"ROW3_MONITOR_TOKEN": "a-long-secret-token"}


@contextmanager
def serving(box: Box, *args: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process and its address."""
    process = box.start("monitor", "serve", "--port", "0", *args, **env)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        found = re.search(r"http://\S+?:\d+/", line)
        assert found, line + process.stderr.read().decode()
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_pages_are_open(box: Box, number: int) -> None:
    with serving(box) as (process, address), httpx2.stream("GET", f"{address}events", timeout=30) as stream:
        lines = stream.iter_lines()
        assert "No records yet: row3 monitor ingest FILE" in next(lines)
        os.kill(process.pid, number)
        assert [line for line in lines if line.startswith("data")] == []
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, b"", b"")


def test_a_port_in_use_is_one_message(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = box.row3("monitor", "serve", "--port", str(port), code=2)
    assert done.err == f"error: row3 monitor serve: port {port} is in use. Choose another with --port.\n"


@every_row(
    ("host", "env", "told"),
    [
        ("0.0.0.0", {}, "other machines can reach 0.0.0.0, but $ROW3_MONITOR_TOKEN has fewer than 16"),
        ("::", {}, "other machines can reach ::, but $ROW3"),
        ("127.0.0.1", {"ROW3_MONITOR_TOKEN": "short"}, "$ROW3_MONITOR_TOKEN has fewer than 16 characters"),
        ("no-such-host.invalid", TOKEN, "cannot listen on no-such-host.invalid"),
    ],
)
def test_a_host_that_will_not_do(box: Box, host: str, env: dict[str, str], told: str) -> None:
    done = box.row3("monitor", "serve", "--port", "0", "--host", host, code=2, **env)
    assert told in done.err and done.out == "" and "a-long-secret" not in done.err


def test_without_its_packages_it_says_what_to_install(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "uvicorn" else find(name, *rest)
    )
    done = box.row3("monitor", "serve", code=2)
    assert done.err == 'error: monitoring needs uvicorn, which is not installed. pip install "row3[monitor]".\n'


def test_grafana_prints_its_dashboard(box: Box) -> None:
    shown = box.row3("monitor", "grafana", code=0).json
    assert shown["title"] == "row3: production" and len(shown["panels"]) > 15


def test_other_machines_need_the_token(box: Box) -> None:
    with serving(box, "--host", "0.0.0.0", **TOKEN) as (_, address):
        here = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.get(here).status_code == 401
        sent = {"authorization": "Bearer a-long-secret-token"}
        assert "row3_monitor_decompositions_total 0\n" in httpx2.get(f"{here}metrics", headers=sent).text
