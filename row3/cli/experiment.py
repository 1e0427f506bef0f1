"""`row3 experiment`: the items of a LangFuse dataset through a suite's pipeline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.langfuse import connected
from row3.cli.show import INCOMPLETE, show_result
from row3.domain.counts import count
from row3.workflows.pipeline.results import CaseResult, Observer

if TYPE_CHECKING:
    from row3.gate.results import SuiteResult
    from row3.integrations.langfuse.experiment import Experiment
    from row3.workflows.session import Session

TOLD = 10
"""Lines of progress, at most."""


class Steps(Observer):
    """Reports progress line by line, for a stderr that rewrites none."""

    def __init__(self, common: Common, items: int) -> None:
        self._common, self._items = common, items
        self._done = self._failed = 0

    def finished(self, result: CaseResult) -> None:
        """Count an item; a failed one is reported at once."""
        self._done += 1
        if result.status != "scored":
            self._failed += 1
            self._common.say(f"{result.case_id}: {result.problem}")
        if self._done == self._items or self._done % -(-self._items // TOLD) == 0:
            self._common.say(f"{self._done:,} of {self._items:,} items, {self._failed:,} failed")


@click.command(cls=Command)
@click.option("--dataset", required=True, metavar="NAME", cls=options.Option, help="The dataset in LangFuse.")
@click.option("--name", required=True, metavar="NAME", cls=options.Option, help="The experiment's name.")
@options.option("--prompt-label", metavar="LABEL", help="Prompts by this label: pulled into prompts/, then run.")()
@click.option("--baseline", is_flag=True, help="Run the promoted prompts and save the run as the baseline.")
@click.option("--compare", is_flag=True, help="Compare with the baseline; exit 1 on a regression.")
@options.suite("The suite whose pipeline answers; default: the one that the dataset was pushed from.")
@options.mode()
@options.model()
@options.parameters()
@options.repeats()
@options.jobs()
@options.max_cost()
@options.trust()
@options.output_options("table", "json", "markdown")
def command(
    common: Common,
    *,
    dataset: str,
    name: str,
    prompt_label: str | None,
    baseline: bool,
    compare: bool,
    max_cost: float | None,
) -> int:
    """Run every item of a LangFuse dataset through a suite's pipeline.

    Each answer becomes a trace that is linked to its item, with a score for every metric; an item that fails has an
    `error` score, and the rest goes on. With --baseline or --compare the items must be the suite's golden cases, and
    the run is saved or judged like any other. What LangFuse does not take waits in .row3/outbox: exit 3, and
    `row3 export --to langfuse` sends it.
    """
    from row3.integrations.langfuse.datasets import find_dataset
    from row3.integrations.langfuse.experiment import prepare, send, suite_for
    from row3.store.suites import pick_suite
    from row3.workflows.session import LiveFlags

    if baseline and (compare or prompt_label is not None):
        raise click.UsageError("--baseline runs the promoted prompts and compares nothing; leave out the other option")
    project = common.project()
    connection = connected(project)
    found = find_dataset(connection, dataset)
    suite = pick_suite(project, common.suite or suite_for(project, found))
    experiment = prepare(
        project,
        suite,
        connection,
        found,
        name=name,
        label=prompt_label,
        may_write=common.may_write,
        gated="--baseline" if baseline else "--compare" if compare else "",
    )
    prompts = tuple(str(each.ref) for each in experiment.prompts)
    session = replace(common, suite=suite.name, prompt=prompts).session().under(LiveFlags(max_cost=max_cost))
    common.say(f"experiment {name}: {len(experiment.items):,} items of dataset {dataset}, suite {suite.name}")
    if experiment.drafts:
        common.say(f"left out until a person completes them: {count(experiment.drafts, 'draft')}")
    result = _run(session, experiment, common, baseline=baseline, compare=compare)
    code = show_result(result, common)
    session.finish()
    assert result.run is not None
    delivery = send(session, connection, experiment, result.run)
    _tell_summary(common, experiment, result)
    if delivery.error is not None:
        common.say(f"kept in .row3/outbox/langfuse, and `row3 export --to langfuse` sends it: {delivery.error}")
    return code or (INCOMPLETE if delivery.error is not None else 0)


def _run(session: Session, experiment: Experiment, common: Common, *, baseline: bool, compare: bool) -> SuiteResult:
    from row3.gate.results import judged, ran
    from row3.integrations.langfuse.experiment import run_items

    steps = Steps(common, len(experiment.items))
    asks = session.mode in ("live", "record")
    if asks and not compare:  # which may ask the baseline's prompts too
        session.observer = session.observer or steps
    if baseline:
        from row3.workflows.comparing.baseline import save_baseline

        return save_baseline(session)
    if compare:
        from row3.workflows.comparing.gating import gate

        return judged(gate(session))
    return ran(run_items(session, experiment, None if asks else steps.finished))


def _tell_summary(common: Common, experiment: Experiment, result: SuiteResult) -> None:
    """Report averages, by EXPERIMENTS' names where they have one, and the number of failures."""
    assert result.run is not None
    run = result.run
    also = {metric.key: metric.also for metric in run.suite.kind.metrics if metric.also}
    averages = ", ".join(f"{also.get(key, key)} {value:.3f}" for key, value in run.header.metrics.items())
    failures = count(len({*run.failed, *run.bad}), "failure")
    common.say(f"experiment {experiment.name}: {run.cases:,} items, {failures}; {averages}")


@click.command(cls=Command)
@click.argument("run", metavar="[RUN]", default="")
@options.option("--to", required=True, metavar="SERVICE", help="otel, mlflow or langfuse.")()
@options.option("--format", type=click.Choice(["table", "json"]), help="Format of the result; default: table.")()
def export(run: str, to: str, common: Common) -> int:
    """Send a run to OpenTelemetry, MLflow or LangFuse, with everything that could not be sent before.

    RUN is the id of a saved run or its beginning; default: the latest. Addresses and keys come from the environment
    (`row3 docs export`). Undelivered runs wait in .row3/outbox: exit 3, and the next export sends it.
    """
    from row3.errors import Undelivered
    from row3.integrations.exporting import export as send_run

    done = send_run(common.project(), to, run)
    if common.as_json:
        common.show_json({"schemaVersion": 1, "to": to, "sent": done.sent, "waiting": done.waiting})
    else:
        lines = [f"sent to {to}: {each}" for each in done.sent] + [f"waits for {to}: {each}" for each in done.waiting]
        common.show("\n".join(lines))
    if done.error is not None:
        kept = f"Kept in .row3/outbox/{to}; `row3 export --to {to}` sends it"
        fix = f"{done.error.fix}. {kept}" if done.error.fix else kept
        raise Undelivered(done.error.what, where=done.error.where, fix=fix)
    return 0
