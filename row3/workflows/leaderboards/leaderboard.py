"""`row3 leaderboard`: models × prompt versions on one suite, by score, cost and time. Nothing is judged.

By replay over what is recorded. In the modes `live` and `auto` what is missing is asked for and recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from row3.domain.counts import count
from row3.domain.estimates import Estimate
from row3.errors import UsageError
from row3.gate.leaderboard import Combination, Leaderboard
from row3.store.cases import case_files, read_case
from row3.store.files import write_atomic
from row3.store.locks import writing
from row3.store.other_suites import no_case_fits
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit
from row3.workflows.asking.budget import pricing
from row3.workflows.asking.estimate import estimate
from row3.workflows.diffing.sides import recorded_models
from row3.workflows.leaderboards.board import Gathered, make_board
from row3.workflows.leaderboards.combinations import combinations
from row3.workflows.leaderboards.entrants import Entrant
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.run_suite import RunOptions, replay, wanted_cases
from row3.workflows.quarantine import in_force
from row3.workflows.running import note_unused_inputs
from row3.workflows.session import Session

ASKING = ("live", "auto")


def leaderboard(session: Session, *, prompts: Sequence[str] = (), models: Sequence[str] = ()) -> Leaderboard:
    """Rank the combinations of `prompts` and `models`, see `combinations`.

    Raises `InvalidFile`, `UsageError`, `ProviderStopped`; every answer that came is recorded.
    """
    project, suite = session.project, session.suite
    _check_prompts(suite)
    mode = _mode(session.options)
    options = replace(session.options, explain=False)
    askings = combinations(project, suite, options, prompts=prompts, models=models, named=session.named)
    wanted = askings if mode != "replay" or (prompts and models) else _begun(project, suite, askings, options)
    strangers = _strangers(project, suite, models) if mode == "replay" else ""
    if not wanted and strangers:
        raise UsageError(strangers, where="--models", fix="`--mode live` asks for what is missing")
    if not wanted:
        raise UsageError(
            f"none of {count(len(askings), 'combination')} has a recorded answer",
            where=f"recordings/{suite.name}/",
            fix=f"Record some with `row3 --mode record{suite.flag}`, or ask for them with --mode live",
        )
    if strangers:
        session.say(strangers)
    if mode != "replay" and not prompts and not models and session.budget is None:
        raise UsageError(
            f"this would ask for what is missing of {count(len(askings), 'combination')}",
            where=f"--mode {mode}",
            fix="Name some with --models or --prompts, or set --max-cost; --dry-run shows what would be sent",
        )
    if mode != "replay" and session.budget is not None:
        session.budget.check(each.model for asking in wanted for each in asking.parameters.values())
    fits = wanted_cases(options)
    held = [entry.case_id for entry in in_force(project, suite).active if fits(entry.case_id)]
    gathered = Gathered(suite, mode, options.repeats, held, len(askings) - len(wanted))
    cost = pricing(project, suite)
    for asking in wanted:
        entrant = Entrant(asking)
        gathered.sources |= entrant.take(replay(project, suite, asking, options), suite.kind, cost, held)
        if mode != "replay" and entrant.unanswered:
            from row3.workflows.running_live import asked_for_cases

            note_unused_inputs(session, suite, asking.lineup)
            versions = " → ".join(f"{name} {version}" for name, version in asking.lineup.versions().items())
            session.say(
                f"{versions} · {entrant.combination().model}: asking for {count(len(entrant.unanswered), 'case')}"
            )
            asked = asked_for_cases(session, suite, asking, entrant.unanswered)
            gathered.sources |= entrant.take(asked, suite.kind, cost)
        gathered.entrants.append(entrant)
    return make_board(gathered)


def plan(
    session: Session, *, prompts: Sequence[str] = (), models: Sequence[str] = ()
) -> list[tuple[Combination, Estimate]]:
    """What asking for all that is missing would send, for each combination; a request is counted once.

    Raises `InvalidFile`, `UsageError`.
    """
    project, suite = session.project, session.suite
    _check_prompts(suite)
    _mode(session.options)
    planned: set[tuple[str, str, int, str]] = set()
    plans = []
    for asking in combinations(project, suite, session.options, prompts=prompts, models=models, named=session.named):
        note_unused_inputs(session, suite, asking.lineup)
        first = asking.parameters[asking.lineup.prompts[0].ref.name]
        overrides = replace(session.options.overrides, model=_one_model(asking) or session.options.overrides.model)
        own = replace(session.options, mode="auto", overrides=overrides)
        found = estimate(project, suite, asking.lineup, own)
        begin = str(asking.lineup.prompts[0].ref)
        keys = [(one.case_id, one.prompt, one.repeat, first.model) for one in found.requests]
        # What a combination before it asks is recorded by then; of later prompts that depends on the answers.
        found.requests = [
            one if one.prompt != begin or key not in planned else replace(one, recorded=True)
            for one, key in zip(found.requests, keys, strict=True)
        ]
        planned.update(keys)
        plans.append((Entrant(asking).combination(), found))
    return plans


def _check_prompts(suite: Suite) -> None:
    """Raise `UsageError` for a suite that no prompts of a model answer."""
    if suite.system is not None:
        raise UsageError(
            f"suite `{suite.name}` is answered by `{suite.system.type}`: there are no models and prompts to rank",
            where="row3 leaderboard",
            fix="Compare its versions with `row3 diff`, or name another suite with --suite",
        )


def _strangers(project: Project, suite: Suite, models: Sequence[str]) -> str:
    """That some of these models answered nothing that is recorded, and which did; empty where all of them did."""
    if not models:
        return ""
    recorded = recorded_models(project, suite)
    unknown = [name for name in dict.fromkeys(models) if name not in recorded]
    if not unknown:
        return ""
    which = ", ".join(f"`{name}`" for name in unknown)
    return f"no answer of {which} is recorded; answers are there of {', '.join(recorded) or 'no model'}"


def _one_model(asking: Asking) -> str | None:
    models = {each.model for each in asking.parameters.values()}
    return models.pop() if len(models) == 1 else None


def _mode(options: RunOptions) -> str:
    """Replay unless a provider is to be asked, whatever `row3.toml` says."""
    mode = options.mode or "replay"
    if mode not in ("replay", *ASKING):
        raise UsageError(
            "a leaderboard asks only for what is missing",
            where=f"--mode {mode}",
            fix="Use --mode live, which records what it asks for; `row3 --mode record` asks for everything anew",
        )
    if options.overrides.model is not None:
        raise UsageError("a leaderboard has several models", where="--model", fix="Name them with --models")
    return mode


def _begun(project: Project, suite: Suite, askings: Sequence[Asking], options: RunOptions) -> list[Asking]:
    """Those whose first request is recorded for at least one case."""
    index = open_recordings(project, suite, options.journals)
    wanted = wanted_cases(options)
    if not any(wanted(read_case(project.tree, path, suite.kind).id) for path in case_files(project.tree, suite.golden)):
        raise no_case_fits(project, suite, options.case, fix="Correct --case")
    seen: dict[object, bool] = {}
    found = []
    for asking in askings:
        prompt = asking.lineup.prompts[0]
        key = (prompt.digest, asking.parameters[prompt.ref.name])
        if key not in seen:
            cases = (read_case(project.tree, path, suite.kind) for path in case_files(project.tree, suite.golden))
            seen[key] = any(
                asking.request(prompt, stored.id, suite.kind.variables(stored.case), repeat).digest in index
                for stored in cases
                if wanted(stored.id)
                for repeat in range(asking.repeats)
            )
        if seen[key]:
            found.append(asking)
    return found


def chart_name(suite: str) -> str:
    """File name of a suite's leaderboard charts, without the extension."""
    return f"{suite}-leaderboard"


def draw_leaderboard(project: Project, board: Leaderboard, folder: Path | None = None) -> list[Path]:
    """Draw the board into `charts/` or another folder; returns the files.

    Raises `UsageError` where there is nothing to draw, `EnvironmentFault`.
    """
    from row3.reports.charting.leaderboard_chart import leaderboard_chart

    files = leaderboard_chart(board)
    name = chart_name(board.suite)
    contents = {f"{name}.svg": files.svg, f"{name}.png": files.png}
    if folder is not None:
        for each, content in contents.items():
            write_atomic(folder / each, content, where=str(folder / each))
        return [folder / each for each in contents]
    with writing(project.local):
        commit(project.root, project.local, {f"charts/{each}": content for each, content in contents.items()})
    return [Path("charts") / each for each in contents]
