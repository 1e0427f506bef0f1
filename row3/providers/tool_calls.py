"""What a system is told, read back from the request, and its answer as a text."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from row3.domain.calls import found_at
from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.providers.redaction import LONGEST, SHORT, holds, redact

SYSTEM_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "SYSTEMROOT", "TEMP", "PATHEXT")
"""What every process is given of the environment; keys and tokens only where they are named."""
LAST_LINES = 3
_SECRET = re.compile(r"(?i)key|token|secret|passw|credential|auth")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request's question: exactly what its digest covers, and so what a recording answers."""

    tool: str
    arguments: dict[str, Any]
    before: tuple[tuple[str, dict[str, Any]], ...]
    answer: str


def asked(request: Request) -> Asked:
    """The call that a request asks for."""
    value = json.loads(request.user)
    before = tuple((each["tool"], each["arguments"]) for each in value.get("before", ()))
    return Asked(value["tool"], value["arguments"], before, value.get("answer", ""))


def picked(value: Any, path: str) -> str | None:
    """The part of a result that is the answer, as a text; None where nothing stands at the path."""
    if path:
        try:
            value = found_at(_as_json(value), path)
        except KeyError:
            return None
    return value if isinstance(value, str) else canonical(value)


def _as_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def answered(value: Any, path: str, who: str, latency_s: float, keys: Iterable[str] = ()) -> Answer | NoAnswer:
    """The answer in what a system gave; `latency_s` in seconds. None with one of `keys` in it, encoded or not."""
    text = picked(value, path)
    if text is None:
        return NoAnswer(f"{who} gave nothing at `{path}`", "Correct `answer` in row3.toml")
    if holds(text, keys):
        return NoAnswer(
            f"{who} told the value of a variable that is a secret",
            "Answers are recorded: let it say something else, or take the variable out of `env`",
        )
    return Answer(text, latency_s=latency_s)


def environment(environ: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """The variables that a process is given."""
    return {name: environ[name] for name in (*SYSTEM_VARIABLES, *names) if name in environ}


def last_words(stderr: bytes, secrets: tuple[str, ...]) -> str:
    """The last lines that a program wrote, as one line without secrets and without its full stop.

    The last, since a program that fails says why at its end.
    """
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    kept: list[str] = []
    for line in reversed([redact(line, secrets) for line in lines[-LAST_LINES:]]):
        if kept and len(line) + sum(map(len, kept)) > LONGEST:
            break
        kept.insert(0, line)
    return " ".join(kept).rstrip(".")


def program(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command line; `python` is the Python that runs row3, so that one row3.toml does for every machine."""
    return (sys.executable, *command[1:]) if command[0] == "python" and sys.executable else command


def keys_in(environ: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Values that no answer may hold: of the variables whose names say that they are secrets, and not by chance."""
    return tuple(value for value in secrets_in(environ, tuple(filter(_SECRET.search, names))) if len(value) >= SHORT)


def secrets_in(environ: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Values that no message may hold: those of the variables that were named."""
    return tuple(environ[name] for name in names if environ.get(name))
