"""What a live run asks of the system."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import groupby
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box
from tests.rows import every_row
from tests.two_stages import ANSWERS, two_stages, write_case

resource = pytest.importorskip("resource")


@every_row(("soft", "hard", "after"), [(64, 4096, 628), (64, 300, 300), (2000, 4096, 2000)])
def test_the_open_file_limit_is_raised_for_concurrent_requests(soft: int, hard: int, after: int) -> None:
    code = (
        "import resource\n"
        "from row3.running.processes import allow_connections\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "allow_connections(500)\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(after), str(hard)]


class Stages(ChatServer):
    """Answers both stages; `asked` has the stage of each request, and `most` how many were there at once."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.here = self.most = 0
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        text = body["messages"][-1]["content"]
        stage = "decompose" if text.startswith("1.1 ") else "map"
        with self.lock:
            self.asked.append(stage)
            self.here += 1
            self.most = max(self.most, self.here)
        time.sleep(0.01)
        with self.lock:
            self.here -= 1
        return FakeReply(ANSWERS[stage])


@every_row(("jobs", "cases", "lengths"), [(1, 12, [8, 8, 4, 4]), (1, 1, [1, 1]), (2, 16, [16, 16])])
def test_requests_of_one_prompt_are_sent_together(
    tmp_path_factory: pytest.TempPathFactory, jobs: int, cases: int, lengths: list[int]
) -> None:
    root = tmp_path_factory.mktemp("stages")
    two_stages(root)
    for path in (root / "golden/bread").iterdir():
        path.unlink()
    for number in range(cases):
        write_case(root, f"case-{number:02}", f"Rye is a cereal, says {number}.")
    server = Stages()
    try:
        box = Box(root)
        endpoint = f'preset = "llama.cpp"\nbase_url = "{server.url}"\n[suites.bread]'
        box.replace("row3.toml", "[suites.bread]", endpoint)
        box.row3("--mode", "live", "--jobs", str(jobs), code=0)
    finally:
        server.stop()
    assert len(server.asked) == 2 * cases
    assert server.most == min(jobs, cases)
    runs = [(stage, len(list(group))) for stage, group in groupby(server.asked)]
    if jobs == 1:
        assert runs == list(zip(["decompose", "map"] * cases, lengths, strict=False))
    else:  # the last of one prompt and the first of the next are under way at once
        assert runs[0] == ("decompose", pytest.approx(lengths[0], abs=jobs))
        assert len(runs) <= len(lengths) + 2 * jobs
