"""Where a project is, and where in it its files are."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from row3.domain.tiers import Tier, file_stem
from row3.errors import InvalidFile, UsageError
from row3.store.config import FILE, Config, read_config
from row3.store.corpus import CORPORA
from row3.store.golden import GOLDEN, golden_files

LOCAL = ".row3"
NAMED = 3
"""Projects below that a message names."""
READ_PATHS = (FILE, *CORPORA, "prompts", "recordings", "baselines", "metrics-history.json")
"""Everything a comparison reads: what the hook watches."""


@dataclass(frozen=True, slots=True)
class Project:
    """A row3 project: its folder and its configuration."""

    root: Path
    config: Config

    def golden(self, suite: str) -> Path:
        """Folder of a suite's golden cases."""
        return self.root / golden_of(self.config, suite)

    def recordings(self, suite: str) -> Path:
        """Folder of a suite's recordings."""
        return self.root / "recordings" / suite

    def baseline(self, suite: str, tier: Tier = "replay") -> Path:
        """The current baseline of a suite's tier."""
        return self.root / "baselines" / f"{file_stem(suite, tier)}.json"

    @property
    def local(self) -> Path:
        """Run logs, locks and journal; never committed."""
        return self.root / LOCAL

    def suite_names(self) -> list[str]:
        """All suites: those with golden cases and those of `row3.toml`.

        A folder that a suite of `row3.toml` names as its own is no suite by itself, nor is one around it that has no
        cases beside it.
        """
        folder = self.root / GOLDEN
        found = {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()
        named = [settings.golden for settings in self.config.suites.values() if settings.golden]
        around = {name.split("/")[0] for name in named if "/" in name}
        taken = {*named, *(name for name in around if not golden_files(folder / name))}
        return sorted({name for name in found - taken if not name.startswith(".")} | set(self.config.suites))


def golden_of(config: Config, suite: str) -> str:
    """Folder of a suite's golden cases, from the project on."""
    settings = config.suites.get(suite)
    return f"{GOLDEN}/{suite if settings is None or settings.golden is None else settings.golden}"


def find_root(start: Path) -> Path:
    """The project's folder: the nearest one upwards with `row3.toml` or `golden/`.

    Raises `InvalidFile` where there is none.
    """
    start = start.resolve()
    if not start.is_dir():
        raise UsageError("there is no such folder", where=str(start), fix="Correct the path after -C")
    for folder in (start, *start.parents):
        if (folder / FILE).is_file() or (folder / "golden").is_dir():
            return folder
    what = "this is no row3 project: neither row3.toml nor golden/ here or above"
    fix = "Run `row3 init`, or name the project with -C"
    if below := _projects_below(start):
        what += f", but one is in {', '.join(f'{path.name}/' for path in below[:NAMED])}"
        fix = f"Go there, or name it: -C {shlex.quote(os.path.relpath(below[0]))}"
    raise InvalidFile(what, where=str(start), fix=fix)


def _projects_below(folder: Path) -> list[Path]:
    """Folders right below that are row3 projects: `row3 init` here would make another one around them."""
    try:
        return sorted(each for each in folder.iterdir() if each.name[:1] != "." and (each / FILE).is_file())
    except OSError:  # of a folder that cannot be listed nothing is known
        return []


def open_project(start: Path) -> Project:
    """The project around a folder; raises `InvalidFile`."""
    root = find_root(start)
    return Project(root, read_config(root))
