"""What the README shows of `make demo` is what it prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.projects import clean_env, run

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    done = run(
        "sh", str(ROOT / "examples/demo.sh"), str(Path(sys.executable).parent), cwd=ROOT, env=clean_env(tmp_path)
    )
    assert done.code == 0, done
    assert len((done.out + done.err).splitlines()) <= 120
    printed = {line.rstrip() for line in (done.out + done.err).splitlines()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n\$ row3 --compare\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    assert not [line for line in block[1].splitlines() if line not in ("", "…") and line not in printed]
