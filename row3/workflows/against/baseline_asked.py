"""Whether a baseline is of what the project asks: a later comparison believes what its header says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from row3.domain.tiers import tier_of
from row3.errors import Row3Error
from row3.store.project import Project
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite, make_suite
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking


def other_than_asked(project: Project, suite: Suite, before: SavedRun, new: SavedRun) -> Iterator[str]:
    """What a new baseline is, in the place of what `row3 --baseline` would make here; each can follow "it is"."""
    own, header, old = make_suite(project.config, suite.name, suite.tier), new.header, before.header
    for name, value, wanted in (
        ("suite", header.suite, suite.name),
        ("kind", header.kind, suite.kind.name),
        ("mode", tier_of(header.mode), suite.tier),
    ):
        if value != wanted:
            yield f"of {name} `{value}`, and this is `{wanted}`"
    try:
        lineup = line_up(project, own, role="promoted")
        asked = {name: each.as_json() for name, each in make_asking(own, lineup, RunOptions()).parameters.items()}
    except Row3Error as error:
        yield f"of what cannot be asked here: {error}"
        return
    versions = lineup.versions()
    for name in dict.fromkeys([*header.prompts, *versions]):
        told, current = header.prompts.get(name, "no version"), versions.get(name, "none")
        if told != current:
            standing = "promoted" if name in lineup.promoted and own.system is None else "what runs"
            yield f"of {name} {told}, and {current} is {standing}"
    if header.parameters not in (asked, old.parameters):
        yield f"of other parameters than the project's: {_difference(header.parameters, asked)}"


def _difference(told: Mapping[str, Mapping[str, Any]], asked: Mapping[str, Mapping[str, Any]]) -> str:
    for name, values in asked.items():
        for key in dict.fromkeys([*values, *told.get(name, {})]):
            one, other = told.get(name, {}).get(key), values.get(key)
            if one != other:
                return f"{name} {key} {one}, where {other} is asked"
    return "of prompts that are not asked"
