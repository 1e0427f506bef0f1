"""What the README shows of `make demo` is what it prints."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.projects import clean_env, run
from tests.rows import every_row

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


@every_row("name", ["decompose-concepts", "map-ontology"])
def test_where_the_demo_was_played_already_it_says_what_to_do(tmp_path: Path, name: str) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "prompts").mkdir()
    shutil.copy(ROOT / "examples/demo.sh", tmp_path / "examples")
    text = (ROOT / "prompts/promoted.json").read_text("utf-8")
    promoted = re.sub(rf'("{name}": {{\s+"version": )"v1.0"', r'\1"v1.1"', text)
    assert promoted != text
    (tmp_path / "prompts/promoted.json").write_text(promoted, "utf-8")
    done = run("sh", str(tmp_path / "examples/demo.sh"), "/nowhere", cwd=tmp_path, env=clean_env(tmp_path))
    assert (done.code, done.out) == (1, "")
    assert "v1.1 is promoted in this clone already. Undo that with git" in done.err
    assert not (tmp_path / ".row3").exists()
