"""What asks at the base: its prompts, or its system with the files that this is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from row3.errors import Row3Error
from row3.store.corpus import CORPORA
from row3.store.project import Project
from row3.store.prompts import FOLDER
from row3.store.suites import Suite, make_suite
from row3.store.system_config import McpConfig
from row3.workflows.against.at_ref import Base
from row3.workflows.pipeline.run_suite import Run
from row3.workflows.pipeline.stages import call_stage


@contextmanager
def asking_there(base: Base, here: Suite) -> Iterator[tuple[Project, Suite]]:
    """The base's project with all that its suite asks with, in a folder of its own, and that suite.

    In the folder that judges, the cases that a change adds are laid beside those of the base, and a system could be
    given them. Raises `InvalidFile`, `UsageError`.
    """
    ref, config = base.ref, base.project.config
    suite = make_suite(config, here.name, here.tier)
    paths: tuple[str, ...] = (FOLDER,)
    if suite.system is not None:
        paths = CORPORA if isinstance(suite.system, McpConfig) and suite.system.setup else ()
    with TemporaryDirectory(prefix="row3-asking-") as folder:
        if paths:
            ref.repository.read_tree(ref.sha, [ref.inside + path for path in paths], Path(folder))
        yield Project(Path(folder) / ref.inside, config), suite


def calls_as_there(base: Base, run: Run) -> bool:
    """A run's system is called as at the base, and was given the same files before."""
    with suppress(Row3Error), asking_there(base, run.suite) as (project, suite):
        return suite.system is not None and call_stage(project, suite).digest in run.header.prompt_digests.values()
    return False
