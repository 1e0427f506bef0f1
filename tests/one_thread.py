"""Lets a local model compute in one thread.

Several threads of llama.cpp wait for one another in a loop: with as many tests beside them as there are processors an
answer takes a quarter of a minute in the place of a second.
"""

from __future__ import annotations

from pathlib import Path

from tests.projects import HOME


def compute_in_one_thread() -> None:
    """From now on, in this process; nothing where the extra is not installed."""
    try:
        import xllamacpp
    except ImportError:
        return
    params = xllamacpp.CommonParams
    if params.__module__ == __name__:
        return

    def CommonParams() -> xllamacpp.CommonParams:
        made = params()
        made.cpuparams.n_threads = made.cpuparams_batch.n_threads = 1
        return made

    xllamacpp.CommonParams = CommonParams


def path_for_processes(folder: Path) -> str:
    """A PYTHONPATH by which new interpreters do so as they start."""
    folder.mkdir()
    text = "from tests.one_thread import compute_in_one_thread\ncompute_in_one_thread()\n"
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    return f"{folder}:{HOME}"
