"""The way to the head of a Ray cluster: found, refused, or gone."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable
from threading import Event
from typing import Any

from row3 import __version__
from row3.errors import EnvironmentFault, RunIncomplete, UsageError
from row3.running.processes import count_cores

HEAD_CHECK_S = 5.0
"""Seconds between two looks at the head, which is gone if it misses two; a minute later Ray would end this process."""
HTTP2_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
"""How a client of gRPC begins (RFC 9113, 3.4)."""
HTTP2_SETTINGS = b"\x04"
"""Type of the frame that answers it."""
LOCAL = "local"
"""Ray's word for a cluster of this process's own."""
OPTION = "--ray-address"


def connect(ray: Any, address: str, jobs: int | None) -> None:
    """Connect to the cluster at an address, or start one of this process's own for an empty one.

    Raises `UsageError` for no address, and `RunIncomplete` if no cluster answers or it refuses.
    """
    address = address or os.environ.get("RAY_ADDRESS") or LOCAL
    local: dict[str, Any] = {"num_cpus": jobs or count_cores(), "include_dashboard": False}
    before = signal.getsignal(signal.SIGTERM)
    named = address not in (LOCAL, "auto")
    if named:
        try:
            reach(address)
        except ValueError:
            fix = "Write HOST:PORT, as `ray start --head` prints it"
            raise UsageError(f"`{address}` is no address", where=OPTION, fix=fix) from None
        except OSError as error:
            raise gone(address, line_of(error)) from None
    try:
        quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        # Else Ray writes to stdout, which holds the result, that a worker has died.
        vars(ray._private.worker)["print_to_stdstream"] = lambda *_, **__: None
        ray.init(address, **quiet, **(local if address == LOCAL else {}))
    except (OSError, RuntimeError, ValueError, ImportError, ray.exceptions.RayError) as error:
        if address == LOCAL:
            raise EnvironmentFault(f"Ray does not start: {line_of(error)}", where="--executor ray") from None
        if not named:
            raise gone(address, line_of(error)) from None
        raise RunIncomplete(
            f"the Ray cluster at {address} refuses this program ({' '.join(str(error).split())})",
            where=OPTION,
            fix="Use its versions of Ray and Python, and RAY_AUTH_MODE=token if it asks for tokens; then run it again",
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)  # Ray's own would end the command without its message


def reach(address: str) -> None:
    """Raise `OSError` if no head answers, and `ValueError` if this is no address.

    `ray.init` would wait for minutes, and print what for.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and 0 < int(port) < 1 << 16):
        raise ValueError(address)
    with socket.create_connection((host, int(port)), timeout=HEAD_CHECK_S) as head:
        head.sendall(HTTP2_HELLO)
        if head.recv(9)[3:4] != HTTP2_SETTINGS:
            raise ConnectionError("what answers there is not the head of a Ray cluster")


def watch_head(address: str, ended: Event, fail: Callable[[RunIncomplete], None]) -> None:
    """Look at the head until the end, and say once that it is gone: then Ray's own calls would wait for it."""
    missed = 0
    while not ended.wait(HEAD_CHECK_S):
        try:
            reach(address)
            missed = 0
        except OSError as error:
            missed += 1
            if missed == 2:
                fail(gone(address, line_of(error)))


def check_version(version: str) -> None:
    """Raise `EnvironmentFault` if this node has another version of row3 than the command."""
    if version != __version__:
        what = f"node {socket.gethostname()} has row3 {__version__}, not {version}"
        raise EnvironmentFault(what, where=OPTION, fix=f"pip install 'row3=={version}'")


def gone(address: str, why: str) -> RunIncomplete:
    """Return the error for a cluster that does not answer."""
    what = f"the Ray cluster at {address} does not answer ({why})"
    return RunIncomplete(what, where=OPTION, fix="Start it (`ray start --head`), then run the same command again")


def line_of(error: BaseException, place: int = 0) -> str:
    """Return a line of an error's text, the first unless told."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[place].rstrip(".")
