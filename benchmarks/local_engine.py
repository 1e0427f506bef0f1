"""Does it matter in which order a local engine is asked? llama.cpp over HTTP, by the packaged model of `row3[local]`.

Three prompts of about 600 tokens of instructions each, with 20 short cases each: all cases of a prompt before the next
prompt, or prompt after prompt for each case. Run with `python -m benchmarks.local_engine`.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import product
from typing import Any

from row3.domain.endpoints import PRESETS
from row3.domain.requests import Answer, Message, Request
from row3.providers.local import gguf_path
from row3.providers.openai_api import OpenAIChat

THINGS, CASES, CONTEXT_TOKENS = ("concept", "person", "place"), 20, 4096
RULES = (
    "Name each {thing} that the text states, and nothing that it does not state. "
    "Keep the words of the text, in the singular, without an article. "
)


def requests(order: str) -> list[Request]:
    """Return the requests in an order."""
    pairs = list(product(THINGS, range(CASES)))
    if order == "interleaved":
        pairs.sort(key=lambda pair: pair[1])
    found = []
    for thing, case in pairs:
        system = f"You read texts and list every {thing}. {RULES.format(thing=thing) * 20}"
        user = f"Text {case}: rye was baked in {1900 + case} by {case + 2} bakers. List:"
        said = Message("system", system), Message("user", user)
        found.append(Request(f"{case}", thing, 0, "local", 0.0, None, 8, said, "", {}, "", "", "", ""))
    return found


def serve(slots: int) -> Any:
    """Return a running server."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf_path())
    params.n_ctx = CONTEXT_TOKENS * slots
    params.n_parallel = slots
    # Several threads wait for one another in a loop, which takes long on a busy machine.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.chat_template = "{{ messages[0].content }}\n{{ messages[1].content }}"
    params.warmup = False
    params.verbosity = -1
    params.ui = False
    return xllamacpp.Server(params)


async def ask(address: str, order: str, jobs: int) -> tuple[float, int, int, list[str]]:
    """Return processor seconds, tokens of the prompts, how many were cached, and the answers by case and prompt."""
    chat = OpenAIChat(replace(PRESETS["llama.cpp"], base_url=f"{address}/v1"), environ={})
    waiting, answers = iter(requests(order)), {}

    async def worker() -> None:
        for request in waiting:
            answer = await chat.ask(request)
            assert isinstance(answer, Answer), answer
            answers[request.case_id, request.prompt] = answer

    began = time.process_time()
    await asyncio.gather(*(worker() for _ in range(jobs)))
    seconds = time.process_time() - began
    await chat.close()
    tokens = sum(answer.prompt_tokens or 0 for answer in answers.values())
    cached = sum(answer.cached_tokens or 0 for answer in answers.values())
    return seconds, tokens, cached, [answers[key].text for key in sorted(answers)]


def main() -> None:
    """Print a row for each setting and order."""
    before: list[str] = []
    for slots, order in product((1, 4), ("together", "interleaved")):
        server = serve(slots)
        seconds, tokens, cached, texts = asyncio.run(ask(server.listening_address, order, jobs=slots))
        before = before or texts
        other = sum(one != two for one, two in zip(before, texts, strict=True))
        print(f"| {slots} | {order} | {tokens:,} | {tokens - cached:,} | {seconds:.0f} | {other} |", flush=True)
        del server


if __name__ == "__main__":
    main()
