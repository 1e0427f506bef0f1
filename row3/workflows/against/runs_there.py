"""What runs at the base, and what was current there: approvals hang on both."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from row3.errors import Row3Error
from row3.store.project import Project
from row3.store.prompts import FOLDER, PROMOTED, read_promoted
from row3.store.suites import Suite, make_suite
from row3.store.tree import WorkTree
from row3.workflows.against.at_ref import Base
from row3.workflows.pipeline.lineup import Lineup, line_up


def lineup_there(base: Base, suite: Suite) -> Lineup | None:
    """The candidates that a comparison at the base runs; None where there are none."""
    ref, config = base.ref, base.project.config
    with TemporaryDirectory(prefix="row3-prompts-") as folder, suppress(Row3Error):
        ref.repository.read_tree(ref.sha, [f"{ref.inside}{FOLDER}"], Path(folder))
        there = make_suite(config, suite.name, suite.tier)
        return line_up(Project(Path(folder) / ref.inside, config), there, role="candidate")
    return None


def digests_there(base: Base, suite: Suite) -> Mapping[str, str]:
    """Digest by prompt name of what runs at the base; empty where nothing does."""
    there = lineup_there(base, suite)
    return {} if there is None else there.digests()


def with_former(lineup: Lineup, base: Base) -> Lineup:
    """The line-up, knowing what is current at the base, or locked there: who takes one back is to promote none."""
    there = read_promoted(base.project.tree)
    known = {name: {entry.version, *entry.locked} for name, entry in there.items() if name in lineup.versions()}
    also = {
        name: (lineup.formerly.get(name, frozenset()) | versions) - {lineup.promoted.get(name, "")}
        for name, versions in known.items()
    }
    return replace(lineup, formerly={**lineup.formerly, **also})


def was_promoted(base: Base, digest: str) -> bool:
    """A version is current at the base, or was once before somebody took it back there."""
    return base.ref.repository.ever_held(base.ref.inside + PROMOTED, digest, at=base.ref.sha)


def promoted_again(base: Base, root: Path) -> bool:
    """The project in `root` makes a version current that was so before, and is not at the base."""
    before, now = read_promoted(base.project.tree), read_promoted(WorkTree(root))
    moved = (entry for name, entry in now.items() if name not in before or before[name].digest != entry.digest)
    return any(was_promoted(base, entry.digest) for entry in moved)
