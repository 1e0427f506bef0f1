"""How fast live runs are: whole processes that ask a local server of known delay, beside two others.

    python -m benchmarks.live [--peer /path/to/python]

A thousand requests: five hundred generated cases, two prompts each. The server is a process of its own that answers
each request after the delay, so the ideal is requests / requests at once * delay. Beside row3 stand the openai client
alone, which asks the same and does nothing else, and with `--peer`, the Python of an environment with pydantic-evals,
openai and rapidfuzz (never this one), pydantic-evals with that client, which compares names only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import statistics
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.generate import CONFIG, generate, make_case
from benchmarks.run import PYTHON, ROW3, Bench, Figure, measure

HERE = Path(__file__).parent
CASES = 500
SETTINGS = ((0.05, 64), (1.0, 256))
"""Delay in seconds, requests at once."""
NAMES = ("row3 --mode live", "openai client alone", "pydantic-evals")
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Answering(asyncio.Protocol):
    """Chat completions over one connection, each after the delay, from answers that are made beforehand."""

    def __init__(self, answers: dict[str, dict[str, bytes]], asked: dict[str, dict[str, Any]], delay_s: float) -> None:
        self._answers, self._asked, self._delay_s = answers, asked, delay_s
        self._received = b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every whole request."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            found = LENGTH.search(self._received, 0, end)
            whole = end + 4 + int(found[1] if found else 0)
            if len(self._received) < whole:
                return
            body, self._received = json.loads(self._received[end + 4 : whole]), self._received[whole:]
            text = body["messages"][-1]["content"].split("\n\n")[1]
            output = "relationships" if "Connect" in body["messages"][-1]["content"] else "concepts"
            self._asked.setdefault(text, {})[output] = body
            asyncio.get_running_loop().call_later(self._delay_s, self._send, self._answers[text][output])

    def _send(self, payload: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
        self._transport.write(head.encode() + payload)


def serve(cases: int, delay_s: float, ready: Connection) -> None:
    """Run the server until the process is ended; sends its port, and when asked the bodies so far, by case."""
    answers: dict[str, dict[str, bytes]] = {}
    asked: dict[str, dict[str, Any]] = {}
    for number in range(cases):
        made = make_case(number)
        texts = {key: json.dumps({key: value}) for key, value in made.outputs["1.1"].items()}
        answers[made.golden["sourceText"].split("\n\n")[0]] = {
            key: json.dumps(
                {
                    "model": "bench-model",
                    "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 500, "completion_tokens": len(text) // 4},
                }
            ).encode()
            for key, text in texts.items()
        }

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def tell() -> None:
            ready.recv()
            ready.send([list(asked[text].values()) for text in answers if text in asked])

        loop.add_reader(ready.fileno(), tell)
        server = await loop.create_server(lambda: Answering(answers, asked, delay_s), "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def run(folder: Path, delay_s: float, jobs: int, peer: str | None, runs: int) -> dict[str, list[Figure]]:
    """Return the figures of each, run one after the other at the same server."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(CASES, delay_s, theirs), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    (folder / "row3.toml").write_text(
        CONFIG.replace("[provider]\n", f'[provider]\npreset = "vllm"\nbase_url = "{url}"\n'), encoding="utf-8"
    )
    command = (*ROW3, "--mode", "live", "--jobs", str(jobs), "--format", "json", "--out", "result.json")
    row3 = Bench(NAMES[0], command, folder, runs=1)
    scripts = [(PYTHON, "live_bare.py"), *([(peer, "live_peer.py")] if peer else [])]
    others = [
        Bench(name, (python, str(HERE / script), str(folder), url, str(jobs)), folder, runs=1)
        for name, (python, script) in zip(NAMES[1:], scripts, strict=False)
    ]
    try:
        measure(row3)  # writes byte code, and lets the server see what is asked
        ours.send(None)
        (folder / "requests.json").write_text(json.dumps(ours.recv()), encoding="utf-8")
        rounds = [[measure(bench) for bench in (row3, *others)] for _ in range(runs)]  # the machine's speed varies
    finally:
        server.terminate()
        server.join()
    return {name: list(figures) for name, *figures in zip(NAMES, *rounds, strict=False)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", metavar="PYTHON", help="of an environment with pydantic-evals, openai and rapidfuzz")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    middle, requests = statistics.median, 2 * CASES
    with tempfile.TemporaryDirectory(prefix="row3-bench-") as name:
        folder = generate(Path(name), CASES, recordings=False)
        print(f"{requests:,} requests{'':25}seconds   ideal  share  of bare  cpu s  ms a request over bare")
        for delay_s, jobs in SETTINGS:
            ideal = requests / jobs * delay_s
            found = run(folder, delay_s, jobs, arguments.peer, arguments.runs)
            bare_s, bare_cpu_s = (middle(getattr(one, key) for one in found[NAMES[1]]) for key in ("seconds", "cpu_s"))
            for what, figures in found.items():
                seconds, cpu_s = (middle(getattr(one, key) for one in figures) for key in ("seconds", "cpu_s"))
                label = f"{what}, {delay_s:g} s, {jobs} at once"
                shares = f"{ideal / seconds:7.2f}{bare_s / seconds:9.2f}"
                over = (cpu_s - bare_cpu_s) / requests * 1000
                print(f"{label:39}{seconds:9.2f}{ideal:8.2f}{shares}{cpu_s:7.2f}{over:8.2f}", flush=True)


if __name__ == "__main__":
    main()
