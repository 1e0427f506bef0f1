"""What a live run asks of the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.rows import every_row

resource = pytest.importorskip("resource")


@every_row(("soft", "hard", "after"), [(64, 4096, 628), (64, 300, 300), (2000, 4096, 2000)])
def test_the_open_file_limit_is_raised_for_concurrent_requests(soft: int, hard: int, after: int) -> None:
    code = (
        "import resource\n"
        "from row3.running.live import allow_connections\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "allow_connections(500)\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(after), str(hard)]
