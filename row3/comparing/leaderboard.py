"""`row3 leaderboard`: models × prompt versions on one suite, ranked by score, cost and time. Nothing is judged.

Recorded answers are replayed; the modes `live` and `auto` ask for missing ones and record them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from row3.comparing.named_sides import recorded_models
from row3.domain.prompts import PromptRef, parse_version
from row3.domain.requests import labelled
from row3.domain.scores import CaseScore, Cost
from row3.domain.typed_options import Given
from row3.domain.words import count, did_you_mean, spoken
from row3.errors import UsageError
from row3.gate.leaderboard import Combination, Leaderboard, Row, make_board
from row3.project.criteria import in_force
from row3.project.model_parameters import as_typed, parameters_typed
from row3.project.project import Project
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.case_results import total
from row3.running.evaluate import Asking
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, check_cases, make_asking, replay
from row3.running.session import Session
from row3.running.suite_run import note_unused_inputs


def leaderboard(
    session: Session, *, prompts: Sequence[str] = (), models: Sequence[str] = (), settings: Sequence[str] = ()
) -> Leaderboard:
    """Rank the `combinations`. Raises `InvalidFile`, `UsageError`, `ProviderStopped`."""
    project, suite = session.project, session.suite
    if suite.system is not None:
        what = f"suite `{suite.name}` is answered by `{suite.system.type}`: it has no models and prompts to rank"
        fix = "Compare its versions with `row3 diff`, or name another suite with --suite"
        raise UsageError(what, where="row3 leaderboard", fix=fix)
    check_cases(project, suite, session.options)
    mode = session.options.mode or "replay"
    options = replace(session.options, explain=False)
    typed = [parameters_typed([each], where="--set") for each in settings]
    given = {name: [each[name] for each in typed if name in each] for name in dict.fromkeys(itertools.chain(*typed))}
    askings = combinations(project, suite, options, prompts=prompts, models=models, settings=given)
    if mode != "replay":
        if not prompts and not models and not settings and session.state.budget is None:
            what = f"this would ask for every missing answer of {count(len(askings), 'combination')}"
            fix = "Name some with --model or --prompt, or set --max-cost"
            raise UsageError(what, where=f"--mode {mode}", fix=fix)
        if session.state.budget is not None:
            session.state.budget.check(
                (each for asking in askings for each in asking.arm_models()), prices_of(project, suite)
            )
    quarantined = [entry.case_id for entry in in_force(project, suite).active if options.wants(entry.case_id)]
    cost = prices_of(project, suite).usd
    sources: dict[str, str] = {}
    entrants = []
    for asking in askings:
        model = ", ".join(dict.fromkeys(each.model for each in asking.parameters.values()))
        parameters = {name: each.as_json() for name, each in asking.parameters.items()}
        title = _title(asking, model, [name for name, values in given.items() if len(values) > 1])
        entrant = Combination(asking.lineup.versions(), model, title, asking.lineup.digests(), parameters)
        answers = _take(entrant, asking, replay(project, suite, asking, options), cost, sources, resting=quarantined)
        unanswered = entrant.cases("failed")
        if mode != "replay" and unanswered:
            from row3.running.live import record_missing

            note_unused_inputs(session, suite, asking.lineup)
            versions = " → ".join(f"{name} {version}" for name, version in entrant.prompts.items())
            session.say(f"{versions} · {entrant.model}: asking for {count(len(unanswered), 'case')}")
            _take(entrant, asking, record_missing(session, asking, unanswered), cost, sources)
        if answers or not entrant.rows or mode != "replay" or (prompts and models):
            entrants.append(entrant)
    if not entrants:
        what = f"none of {count(len(askings), 'combination')} has a recorded answer"
        first = Given(tuple(("set", as_typed(name, values[0])) for name, values in given.items())).flags("row3")
        fix = f"Record some with `row3 --mode record{first}{suite.flag}`, or ask for them with --mode live"
        raise UsageError(what, where=f"recordings/{suite.name}/", fix=fix)
    if not entrants[0].rows:
        what = "every case is in quarantine" if quarantined else "no case matches"
        fix = f"Correct --case, or release a case with `row3 flaky release{suite.flag} CASE`"
        raise UsageError(what, where=f"golden/{suite.name}/", fix=fix)
    board = replace(
        make_board(suite, entrants, sources),
        mode=mode,
        repeats=options.repeats,
        quarantined=quarantined,
        nothing_recorded=len(askings) - len(entrants),
    )
    if board.placed and not board.cases:
        what = f"`{suite.kind.primary}` applies to no case for all {count(len(board.placed), 'combination')}"
        raise UsageError(what, where=f"golden/{suite.name}/", fix="Name some with --model and --prompt")
    return board


def _title(asking: Asking, model: str, varied: Iterable[str]) -> str:
    first = next(iter(asking.parameters.values()))
    settings = [f"{name} {spoken(getattr(first, name, first.extra.get(name)))}" for name in varied]
    return " · ".join([labelled(model) if asking.suite.local else model, *settings])


def _take(
    entrant: Combination,
    asking: Asking,
    results: Iterable[CaseScore],
    cost: Cost,
    sources: dict[str, str],
    *,
    resting: Collection[str] = (),
) -> int:
    """Add results and their sources to a combination, except of `resting` cases; return the number of answers."""
    kind, stages = asking.suite.kind, len(asking.lineup.steps) * asking.repeats
    answers = 0
    for result in results:
        if result.case_id in resting:
            continue
        answered = result.status != "failed"
        spent = [each for each in result.spent if not each.judge]
        answers += len(spent)
        entrant.rows[result.case_id] = Row(
            # Only the metrics that decide a comparison: memory holds every case of every combination.
            {key: value for key, value in result.metrics.items() if kind.invented or key == kind.primary},
            result.status,
            0 if answered else stages - len(spent),
            _per_repeat([each.usd(cost) for each in spent], asking.repeats),
            _per_repeat([each.latency_s for each in spent], asking.repeats),
            result.problem,
        )
        if result.source is not None:
            sources[result.case_id] = result.source
    return answers


def _per_repeat(values: list[float | None], repeats: int) -> float | None:
    """Return the sum of the values per repeat; None if one is unknown, or without any."""
    whole = total(values)
    return None if whole is None else whole / repeats


MAX_COMBINATIONS = 200


def combinations(
    project: Project,
    suite: Suite,
    options: RunOptions,
    *,
    prompts: Sequence[str] = (),
    models: Sequence[str] = (),
    settings: Mapping[str, Sequence[Any]] = {},
) -> list[Asking]:
    """Return the distinct combinations of a model and `settings` with a version of each prompt in the pipeline.

    A version in `prompts` selects every prompt that has it; a prompt without a selected version uses its highest. No
    `prompts` means all versions; no `models` means those recorded or configured. Raises `UsageError`, also for more
    than `MAX_COMBINATIONS`, and `InvalidFile`.
    """
    chosen = _versions(project, suite, prompts)
    wanted: list[str | None] = [*dict.fromkeys(models)] or [None, *recorded_models(project, suite)]
    extras = [dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())]
    number = len(wanted) * len(extras) * math.prod(map(len, chosen))
    if number > MAX_COMBINATIONS:
        what = f"{number:,} combinations are more than {MAX_COMBINATIONS}"
        raise UsageError(what, where="row3 leaderboard", fix="Name some with --prompt")
    found: dict[tuple[object, ...], Asking] = {}
    for picked in itertools.product(*chosen):
        lineup = line_up(project, suite, role="candidate", named=[str(ref) for ref in picked])
        for model, extra in itertools.product(wanted, extras):
            overrides = replace(options.overrides, extra={**options.overrides.extra, **extra})
            own = replace(options, overrides=overrides if model is None else replace(overrides, model=model))
            try:
                asking = make_asking(suite, lineup, own)
            except UsageError:
                if model is None and len(wanted) > 1:
                    continue  # no model is configured; rank the recorded ones
                raise
            found.setdefault((picked, *asking.parameters.values()), asking)
    return list(found.values())


def _versions(project: Project, suite: Suite, prompts: Sequence[str]) -> list[list[PromptRef]]:
    """Return the versions to rank of each prompt in the pipeline."""
    available = project.versions
    pipeline = [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]
    pipeline = [name for name in pipeline if name in available]  # a call has no versions to choose from
    known = [PromptRef(name, version) for name in pipeline for version in available[name]]
    chosen: list[PromptRef] = [] if prompts else known
    for text in prompts:
        version = parse_version(text)
        found = [ref for ref in known if ref.version == version or str(ref) == text.removeprefix("prompts/")]
        if not found:
            names = [str(ref) for ref in known]
            hint = did_you_mean(text, names, f"There are {', '.join(names)}")
            raise UsageError(f"no prompt in the pipeline has version `{text}`", where="--prompt", fix=hint)
        chosen += [ref for ref in found if ref not in chosen]
    return [[ref for ref in chosen if ref.name == name] or [PromptRef(name, available[name][-1])] for name in pipeline]
