"""Where a project is, and where in it its files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from row3.domain.tiers import Tier, file_stem
from row3.errors import InvalidFile, UsageError
from row3.store.cases import GOLDEN, golden_files
from row3.store.config import FILE, Config, read_config
from row3.store.corpus import CORPORA
from row3.store.tree import Tree, WorkTree, read_text

LOCAL = ".row3"
CHANGELOG = "CHANGELOG.md"
READ_PATHS = (FILE, *CORPORA, "prompts", "recordings", "baselines", "calibrations", "metrics-history.json")
"""Everything a comparison reads: what the hook watches."""


@dataclass(frozen=True, slots=True)
class Project:
    """A row3 project: its folder and its configuration."""

    root: Path
    config: Config
    tree: Tree
    """Where its files are read from; they are written below `root` alone."""

    def golden(self, suite: str) -> str:
        """Return the folder of a suite's golden cases, from the project on."""
        return golden_of(self.config, suite)

    def recordings(self, suite: str) -> str:
        """Return the folder of a suite's recordings, from the project on."""
        return f"recordings/{suite}"

    def baseline(self, suite: str, tier: Tier = "replay") -> str:
        """Return the file of the current baseline of a suite's tier, from the project on."""
        return f"baselines/{file_stem(suite, tier)}.json"

    @property
    def local(self) -> Path:
        """Run logs, locks and journal; never committed."""
        return self.root / LOCAL

    def suite_names(self) -> list[str]:
        """All suites: those with golden cases and those of `row3.toml`.

        A folder that a suite of `row3.toml` names as its own is no suite by itself, nor is one around it that has no
        cases beside it.
        """
        found = set(self.tree.folders(GOLDEN))
        named = [settings.golden for settings in self.config.suites.values() if settings.golden]
        around = {name.split("/")[0] for name in named if "/" in name}
        taken = {*named, *(name for name in around if not golden_files(self.tree, f"{GOLDEN}/{name}"))}
        return sorted((found - taken) | set(self.config.suites))


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
    raise InvalidFile(what, where=str(start), fix="Run `row3 init`, or name the project with -C")


def open_project(start: Path) -> Project:
    """The project around a folder; raises `InvalidFile`."""
    tree = WorkTree(find_root(start))
    return Project(tree.root, read_config(tree), tree)


def read_changelog(project: Project) -> str:
    """Return the text of `CHANGELOG.md`; empty where there is none. Raises `InvalidFile`."""
    return read_text(project.tree, CHANGELOG) if project.tree.exists(CHANGELOG) else ""
