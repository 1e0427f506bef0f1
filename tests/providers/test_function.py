from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.function import Function
from tests.systems.calls import ask, ask_all, request, stage

CODE = """
import asyncio, time
from dataclasses import dataclass

def plain(query): return {"seen": query}
def text(query): return f"said {query}"
async def later(query):
    await asyncio.sleep(0.01)
    return {"seen": query}
def lazily(query): return later(query)
def wrong(query): raise KeyError("token=abcdef123456 and no index")
def leaves(query): raise SystemExit(3)
def stops(query): raise StopIteration("over")
def slow(query): time.sleep(60)
async def asleep(query): await asyncio.sleep(60)
def out_of_time(query): raise TimeoutError("its own")
def talks(query):
    print("on stdout")
    return {}
def odd(query): return {1, 2}
value = 5
class Owner:
    @staticmethod
    def method(query): return ["method", query]
"""


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    name = f"answers_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(CODE)
    yield tmp_path
    sys.modules.pop(name, None)
    sys.path[:] = [each for each in sys.path if each != str(tmp_path)]


def given_by(root: Path, name: str, **access: Any) -> Answer | NoAnswer:
    module = next(root.glob("*.py")).stem
    access = {"timeout_s": 20.0} | access
    return ask(
        Function(Access(function=f"{module}:{name}", **access), root=root, environ={}),
        stage("python", "x", {"query": "q"}),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", '{"seen":"q"}'),
        ("text", "said q"),
        ("later", '{"seen":"q"}'),
        ("lazily", '{"seen":"q"}'),
        ("Owner.method", '["method","q"]'),
    ],
)
def test_what_it_returns_is_the_answer(root: Path, name: str, text: str) -> None:
    given = given_by(root, name)
    assert isinstance(given, Answer)
    assert given.text == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong", "raised KeyError: "),
        ("leaves", "raised RuntimeError: SystemExit: 3"),
        ("stops", "raised RuntimeError: StopIteration: over"),
        ("out_of_time", "raised TimeoutError: its own"),
        ("odd", "raised TypeError: "),
    ],
)
def test_what_it_raises_is_no_answer(root: Path, name: str, words: str) -> None:
    given = given_by(root, name)
    assert isinstance(given, NoAnswer)
    assert words in given.error
    assert "abcdef123456" not in given.error


@pytest.mark.parametrize("name", ["slow", "asleep"])
def test_a_time_out_is_no_answer(root: Path, name: str) -> None:
    began = time.monotonic()
    given = given_by(root, name, timeout_s=0.2)
    assert isinstance(given, NoAnswer)
    assert given.error.endswith(f":{name}` gave no answer within 0.2 s")
    assert time.monotonic() - began < 30


def test_what_it_prints_does_not_reach_stdout(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    assert isinstance(given_by(root, "talks"), Answer)
    assert sys.stdout is before
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "on stdout\n")


def test_many_run_at_once(root: Path) -> None:
    module = next(root.glob("*.py")).stem
    asked = [stage("python", "x", {"query": str(n)}) for n in range(20)]
    provider = Function(Access(function=f"{module}:plain"), root=root, environ={})
    given = ask_all(provider, [request(each) for each in asked])
    assert [each.text for each in given if isinstance(each, Answer)] == [f'{{"seen":"{n}"}}' for n in range(20)]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nonesuch:plain", ": ModuleNotFoundError"),
        ("MODULE:nonesuch", ": AttributeError"),
        ("MODULE:value", "is not a function"),
    ],
)
def test_a_missing_function_stops_the_run(root: Path, name: str, words: str) -> None:
    name = name.replace("MODULE", next(root.glob("*.py")).stem)
    with pytest.raises(ProviderStopped) as stopped:
        ask(Function(Access(function=name), root=root, environ={}), stage("python", "x", {}))
    assert words in str(stopped.value)
