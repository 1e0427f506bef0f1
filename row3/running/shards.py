"""Run a part of a suite, and join the parts of a run into one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from row3 import __version__
from row3.domain.judges import NOT_JUDGED
from row3.domain.prompts import Lineup
from row3.domain.runs import RunHeader, Shard, tier_of
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run
from row3.project.cases import ENDING, Cases, name_of, place_in
from row3.project.criteria import in_force
from row3.project.project import Project, pick_suite
from row3.project.saved_runs import SHARDS, answers_path, latest_runs, read_scores
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.collect import collect, new_run_id, now, rules_json
from row3.running.journal import lines_of
from row3.running.lineup import line_up
from row3.running.provider_access import shown_address
from row3.running.run_options import RunOptions

OUTPUTS = "outputs"
"""Mode of `row3 score`."""
SAME = {
    "suite": "suite",
    "kind": "kind",
    "mode": "mode",
    "prompts": "versions of prompts",
    "prompt_digests": "texts of prompts",
    "model": "model",
    "parameters": "parameters of the model",
    "repeats": "number of repeats",
    "scorer": "scorer",
    "weights": "weights",
    "thresholds": "thresholds",
    "gate": "gate settings",
}
"""What the shards of a run have in common, by field of the header, and its name in messages."""
SAME_SHARD = {"of": "number of shards", "cases": "golden cases", "version": "version of row3"}
RULES = ("scorer", "weights", "thresholds", "gate")


def shard_head(project: Project, suite: Suite, options: RunOptions) -> dict[str, Any]:
    """Return what the header of a shard has beyond that of a whole run: which part it is, and of which cases."""
    if options.shard is None:
        return {}
    digest = hashlib.sha256()
    for path in project.cases.scored(suite.golden):
        digest.update(f"{path}\n".encode("utf-8", "surrogatepass"))
    return {"shard": options.shard.replace(cases=digest.hexdigest(), version=__version__)}


def shard_ids(project: Project, suite: Suite, shard: Shard) -> frozenset[str]:
    """Return the ids of a shard's cases."""
    entries = map(project.cases.entry, shard.part(project.cases.scored(suite.golden)))
    return frozenset(each.id for each in entries if not each.draft)


def known_ids(cases: Cases, folder: str, wanted: Iterable[str]) -> Set[str]:
    """Return ids of a folder's cases, all if the names of the files do not show that it has all the `wanted`."""
    named = {name_of(path).removesuffix(ENDING) for path in cases.paths(folder) if not place_in(path)}
    return named if named.issuperset(wanted) else cases.entries(folder).keys()


class _Part(NamedTuple):
    """A saved shard."""

    shard: Shard
    header: RunHeader
    scores: Iterator[CaseScore]
    path: Path
    where: str


def merge_shards(project: Project, names: Sequence[str]) -> Run:
    """Return the run that the named shards make together, the same as if all cases had run at once.

    Raises `UsageError` for a name without a shard, a missing shard and one named twice, and `InvalidFile` for a broken
    file, for shards of different runs, and if prompts or rules have changed since.
    """
    parts = sorted((_open(project, name) for name in names), key=lambda each: each.shard.number)
    first = parts[0]
    for part in parts[1:]:
        _check_same(first, part)
    found: dict[int, _Part] = {}
    for part in parts:
        if (other := found.setdefault(part.shard.number, part)) is not part:
            what = f"shard {part.shard} is given twice: {other.where} and {part.where}"
            raise UsageError(what, where="RUN", fix="Leave one of them out")
    if missing := [str(number) for number in range(1, first.shard.of + 1) if number not in found]:
        what = f"{' and '.join(missing)} of {first.shard.of} {'is' if len(missing) == 1 else 'are'} missing"
        fix = f"Run the same command with --shard {missing[0]}/{first.shard.of}, and name its file too"
        raise UsageError(what, where="RUN", fix=fix)
    return _collected(project, first, parts)


def _open(project: Project, name: str) -> _Part:
    path = next((path for path in (Path(name), project.root / name) if path.is_file()), None)
    if path is None:
        saved = latest_runs(project.local, SHARDS)
        found = [each for each in saved if each.stem == name] or [each for each in saved if each.stem.startswith(name)]
        if len(found) != 1 or not name:
            what = f"{len(found)} shards begin with `{name}`" if found else f"there is no saved shard `{name}`"
            shown = ", ".join(each.stem for each in (found or saved)[:4])
            raise UsageError(what, where=f".row3/{SHARDS}", fix=f"Choose from {shown}" if shown else "Name a file")
        path = found[0]
    inside = path.resolve().is_relative_to(project.root)
    where = path.resolve().relative_to(project.root).as_posix() if inside else name
    header, scores = read_scores(path, where=where)
    assert header.shard is not None
    return _Part(header.shard, header, scores, path, where)


def _check_same(first: _Part, other: _Part) -> None:
    """Raise `InvalidFile` for a shard of another run."""
    differs = [word for name, word in SAME_SHARD.items() if getattr(first.shard, name) != getattr(other.shard, name)]
    differs += [word for name, word in SAME.items() if _of(first.header, name) != _of(other.header, name)]
    if differs:
        what = f"shard {other.shard} has not the same {differs[0]} as shard {first.shard} in {first.where}"
        raise InvalidFile(what, where=other.where, fix="Run all shards with the same command on the same files")


def _of(header: RunHeader, name: str) -> Any:
    value = getattr(header, name)
    # Which cases are quarantined is each shard's own.
    return {key: each for key, each in value.items() if key != "quarantined"} if name == "gate" else value


def _collected(project: Project, first: _Part, parts: Sequence[_Part]) -> Run:
    header = first.header
    elsewhere = header.mode == OUTPUTS
    suite = pick_suite(project, header.suite, None if elsewhere else tier_of(header.mode))
    if header.mode not in (OUTPUTS, "replay"):
        suite = replace(suite, address=shown_address(project, suite))
    lineup = Lineup((), {}) if elsewhere else line_up(project, suite, role="candidate", pinned=header.prompts)
    rules = rules_json(suite)
    changed = [SAME[name] for name in RULES if to_jsonable_python(rules[name]) != _of(header, name)]
    if lineup.digests() != header.prompt_digests:
        changed.append(SAME["prompt_digests"])
    if changed or first.shard.version != __version__:
        what = f"the {changed[0] if changed else SAME_SHARD['version']} changed since the shards ran"
        raise InvalidFile(what, where=first.where, fix="Run them again, or merge where they are unchanged")
    head = {name: getattr(header, name) for name in SAME} | rules
    head |= {"run_id": new_run_id(), "action": "run", "at": now()}
    run = collect(
        _unique(parts),
        suite,
        lineup,
        head,
        partial=False,
        tolerated=NOT_JUDGED if elsewhere else (),
        **({} if elsewhere else _priced(project, suite, header.mode)),
    )
    return replace(run, answers=[line for part in parts for line in lines_of(answers_path(part.path))])


def _priced(project: Project, suite: Suite, mode: str) -> dict[str, Any]:
    return {
        "cost": prices_of(project, suite, known_models=mode != "replay").usd,
        "quarantine": in_force(project, suite),
    }


def _unique(parts: Sequence[_Part]) -> Iterator[CaseScore]:
    """Yield the scores of all parts in order. Raises `InvalidFile` for an id twice."""
    seen: set[str] = set()
    for part in parts:
        for score in part.scores:
            if score.case_id in seen:
                what = f"the id `{score.case_id}` is already used by another case"
                raise InvalidFile(what, where=part.where, fix="Change one of them, and run their shards again")
            seen.add(score.case_id)
            yield score
