"""Promoted prompt files that a change takes away, though the locks still name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from row3.domain.verdicts import Reason, Verdict
from row3.store.config import Config, ProviderConfig
from row3.store.project import Project
from row3.store.prompts import FOLDER, PROMOTED, read_promoted
from row3.workflows.default_suite import has_cases, judged_by, teller

if TYPE_CHECKING:
    from row3.workflows.at_ref import Base


def gone_prompt_reasons(base: Base, own: Project, suite: str) -> list[Reason]:
    """The grounds against promoted versions being gone that the base has, as far as this suite tells them.

    A suite tells of the prompts that it asks, here or at the base; of one that none asks, the suite that tells what
    concerns the whole project.
    """
    gone = [file for name, file in _gone(base, own) if suite in _tellers(base, own, name)]
    return [
        Reason(
            Verdict.BLOCK, f"{file} is gone since {base.ref.label}, and {PROMOTED} names it; restore it", cause="locks"
        )
        for file in gone
    ]


def _gone(base: Base, own: Project) -> Iterator[tuple[str, str]]:
    """Prompt and file of the versions that were promoted once, and have a file at the base and none here."""
    for name, entry in read_promoted(own.root).items():
        for version in sorted({entry.version, *entry.locked}):
            file = f"{FOLDER}/{name}-{version}.md"
            if not (own.root / file).is_file() and base.ref.repository.has(base.ref.sha, base.ref.inside + file):
                yield name, file


def _tellers(base: Base, own: Project, prompt: str) -> list[str | None]:
    judged = [suite for suite in judged_by(base) if has_cases(own, suite)]
    asking = [s for s in judged if any(_asks(config, s, prompt) for config in (base.project.config, own.config))]
    return [*asking] or [teller(base, own)]


def _asks(config: Config, suite: str, prompt: str) -> bool:
    """Whether a prompt is in a suite's pipeline; one that names none asks whatever prompts there are."""
    settings = config.suites.get(suite)
    if settings is None:
        return True
    asks_models = settings.provider is None or isinstance(settings.provider, ProviderConfig)
    return asks_models and (not settings.pipeline or prompt in settings.pipeline)
