"""What a change does to the locks of promoted prompts, and which suites tell of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from row3.domain.prompts import PromptRef, parse_version
from row3.domain.verdicts import Reason, Verdict
from row3.kinds import of_another_kind
from row3.store.config import Config, ProviderConfig
from row3.store.project import Project
from row3.store.prompts import Promotion, read_promoted, read_prompt, versions
from row3.store.suites import make_suite
from row3.workflows.against.default_suite import has_cases, informs, judged_by, teller

if TYPE_CHECKING:
    from row3.workflows.against.at_ref import Base


def lock_reasons(base: Base, own: Project, suite: str) -> list[Reason]:
    """The grounds against what a change does to the locks of the prompts that this suite tells of.

    None may be altered, no prompt may fall back unnoticed, and none may be promoted that nobody judges.
    """
    reasons = []
    new, label = read_promoted(own.tree), base.ref.label
    for name, entry in read_promoted(base.project.tree).items():
        now = new.get(name)
        if now == entry or suite not in tellers(base, own, name):
            continue
        reasons += _altered(name, entry, now, label)
        if now is None:
            continue
        reasons += falling_back(name, entry.version, now.version)
        if now.version != entry.version and not _asking(base, own, name, own.config):
            what = (
                f"nobody judges {name} {now.version}, which this change promotes: "
                f"no suite with a baseline at {label} asks it"
            )
            reasons.append(Reason(Verdict.BLOCK, what, cause="locks"))
    return reasons


def promoted_for_nobody(base: Base, own: Project) -> list[str]:
    """Versions that a change promotes where it leaves no suite that could tell of its locks."""
    before, new = read_promoted(base.project.tree), read_promoted(own.tree)
    return [
        f"{name} {entry.version}"
        for name, entry in new.items()
        if (name not in before or before[name].version != entry.version) and not tellers(base, own, name)
    ]


def falling_back(name: str, before: str, after: str) -> list[Reason]:
    """The ground against making a version current that is older than the one that is."""
    old, new = parse_version(before), parse_version(after)
    if old is None or new is None or new >= old:
        return []
    return [Reason(Verdict.BLOCK, f"{name} falls back from {old} to {new}", cause="locks")]


def tellers(base: Base, own: Project, prompt: str) -> list[str]:
    """The suites that tell what becomes of a promoted prompt: those that ask it, here or at the base.

    Only such as the base can judge, since a change could bring any other. Of a prompt that none asks, the suite that
    tells what concerns the whole project; where that one is gone or blocks nothing, the next.
    """
    found = _asking(base, own, prompt, base.project.config, own.config)
    others = [each for each in (teller(base, own), *_left(base, own)) if each is not None]
    return found or sorted(others, key=partial(informs, base.project))[:1]


def _altered(name: str, entry: Promotion, now: Promotion | None, label: str) -> list[Reason]:
    held = {} if now is None else now.locked | {now.version: now.digest}
    return [
        Reason(Verdict.BLOCK, f"the lock of {name} {version} is not as at {label}", cause="locks")
        for version, digest in (entry.locked | {entry.version: entry.digest}).items()
        if held.get(version) != digest
    ]


def _asking(base: Base, own: Project, prompt: str, *configs: Config) -> list[str]:
    return [suite for suite in _left(base, own) if any(_asks(config, own, suite, prompt) for config in configs)]


def _left(base: Base, own: Project) -> list[str]:
    """The suites that the base can judge, as far as the change leaves them."""
    return [suite for suite in judged_by(base) if has_cases(own, suite)]


def _asks(config: Config, own: Project, suite: str, prompt: str) -> bool:
    """Whether a prompt is in a suite's pipeline; one that names none asks the prompts that are of its kind."""
    settings = config.suites.get(suite)
    if settings is not None:
        if settings.provider is not None and not isinstance(settings.provider, ProviderConfig):
            return False
        if settings.pipeline:
            return prompt in settings.pipeline
    there = versions(own.tree).get(prompt)
    if not there:
        return False
    output = read_prompt(own.tree, PromptRef(prompt, there[-1])).output
    return not of_another_kind(output, make_suite(config, suite).kind)
