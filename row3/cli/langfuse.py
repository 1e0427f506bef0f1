"""`row3 langfuse …`, `row3 experiment` and `row3 export`: exchange with LangFuse and other services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.show import INCOMPLETE, show_result
from row3.commands.compare import gate
from row3.comparing.baseline import save_baseline
from row3.domain.scores import CaseScore, Observer
from row3.domain.words import count
from row3.errors import Undelivered
from row3.gate.results import SuiteResult, judged, ran
from row3.integrations import exporting
from row3.integrations.langfuse import datasets
from row3.integrations.langfuse import experiment as experiments
from row3.integrations.langfuse import prompts as prompt_sync
from row3.integrations.langfuse.client import Connection, connect
from row3.integrations.langfuse.datasets import seed as seed_from
from row3.project.project import Project, pick_suite
from row3.project.suites import Suite
from row3.reports.sentences import some
from row3.running.session import LiveFlags, Session

force = options.option("--force", is_flag=True, help="Overwrite changes on the other side too.")()
names = click.argument("names", nargs=-1, metavar="[NAME]…")
PULL_FIX = "Pull on your own machine and commit"
MOST_STEPS = 10
"""Most progress lines of an experiment."""


@click.group(cls=options.Group)
def langfuse() -> None:
    """Exchange golden cases and prompts with LangFuse.

    LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY give address and keys. Repeating a command is safe: equal
    items stay unchanged.
    """


@langfuse.command()
@click.argument("suite")
@force
def push(common: Common, *, force: bool) -> None:
    """Write a suite's golden cases to its dataset in LangFuse.

    A case that changed only there is left alone; a case that changed on both sides stops the command.
    """
    _sync(common, lambda *given: datasets.push(*given, force=force), push=True)


@langfuse.command()
@click.argument("suite")
@force
def pull(common: Common, *, force: bool) -> None:
    """Write a dataset's items to the suite's golden cases, all or none."""
    common.check_may_write("row3 langfuse", PULL_FIX)
    _sync(common, lambda *given: datasets.pull(*given, force=force), push=False)


@langfuse.command()
@click.option("--trace", required=True, metavar="ID", cls=options.Option, help="The trace's id in LangFuse.")
@options.suite()
def seed(common: Common, *, trace: str) -> None:
    """Create a dataset item and a draft of a golden case from a checked trace.

    A reviewer's correction in LangFuse replaces the trace's output. Complete the draft (aliases, canaries, required
    concepts), then remove `"draft": true`.
    """
    common.check_may_write("row3 langfuse", PULL_FIX)
    project, suite = common.project_and_suite()
    done = seed_from(project, suite, _connect(project), trace)
    if not done.new:
        common.show(f"{done.path} already exists and was left unchanged")
        return
    source = "the reviewer's correction" if done.corrected else "the trace's output"
    common.show(common.fitted(f"wrote {done.path}, a draft, and item {done.item}, both from {source}"))
    common.say('complete the draft and remove `"draft": true`; until then it is not scored')


@langfuse.group(cls=options.Group)
def prompts() -> None:
    """Exchange prompt versions with LangFuse, by label."""


@prompts.command("push")
@names
@options.option("--label", metavar="LABEL", help="Move this label to the pushed versions.")()
def push_prompts(names: tuple[str, ...], common: Common, *, label: str | None) -> None:
    """Push the highest version of each prompt, or of the named ones."""
    project = common.project()
    done = prompt_sync.push_prompts(project, _connect(project), names, label)
    _show_prompts(common, done, "pushed", "LangFuse has")


@prompts.command("pull")
@names
@options.option("--label", metavar="LABEL", required=True, help="Pull the versions with this label.")()
def pull_prompts(names: tuple[str, ...], common: Common, *, label: str) -> None:
    """Write the labelled versions of all prompts, or of the named ones, as new versions in prompts/.

    An equal version is reused; existing versions never change.
    """
    common.check_may_write("row3 langfuse", PULL_FIX)
    project = common.project()
    done = prompt_sync.pull_prompts(project, _connect(project), names, label)
    _show_prompts(common, done, "wrote", "the same as")


def _connect(project: Project) -> Connection:
    """Open a connection until the command ends. Raises `MissingExtra`, and `UsageError` without keys."""
    connection = connect(project)
    click.get_current_context().call_on_close(connection.http.close)
    return connection


def _sync(common: Common, sync: Callable[[Project, Suite, Connection], datasets.Synced], *, push: bool) -> None:
    project, suite = common.project_and_suite()
    done = sync(project, suite, _connect(project))
    what, source, other = ("item", "here", "pull") if push else ("golden case", "in LangFuse", "push")
    written = count(len(done.written), what)
    common.show(common.fitted(f"{written} written, {done.unchanged:,} unchanged, dataset {done.dataset}"))
    run = f"`row3 langfuse {other} {common.suite}`"
    if done.target_newer:
        common.say(f"newer on the other side, so left alone: {some(done.target_newer, datasets.NAMED)}. Run {run}")
    if done.target_only:
        common.say(f"not {source}: {some(done.target_only, datasets.NAMED)}. Run {run}, or delete them there")


def _show_prompts(common: Common, done: Sequence[prompt_sync.PromptSync], verb: str, same: str) -> None:
    common.show("\n".join(f"{verb if e.new else same} {e.ref} (version {e.remote_version} in LangFuse)" for e in done))


class Steps(Observer):
    """Reports progress line by line, if stderr cannot rewrite a line."""

    def __init__(self, common: Common, items: int) -> None:
        self._common, self._items = common, items
        self._done = self._failed = 0

    def finished(self, case_id: str, status: str, problem: str) -> None:
        """Count an item; report a failed one at once."""
        self._done += 1
        if status != "scored":
            self._failed += 1
            self._common.say(f"{case_id}: {problem}")
        if self._done == self._items or self._done % -(-self._items // MOST_STEPS) == 0:
            self._common.say(f"{self._done:,} of {self._items:,} items, {self._failed:,} failed")


@click.command(cls=options.Command)
@click.option("--dataset", required=True, metavar="NAME", cls=options.Option, help="The dataset in LangFuse.")
@click.option("--name", required=True, metavar="NAME", cls=options.Option, help="The experiment's name.")
@options.option("--prompt-label", metavar="LABEL", help="Pull prompts with this label into prompts/ and run them.")()
@click.option("--baseline", is_flag=True, help="Run the promoted prompts and save the run as the baseline.")
@click.option("--compare", is_flag=True, help="Compare with the baseline; exit 1 on a regression.")
@options.suite("The suite whose pipeline answers; default: the one the dataset was pushed from.")
@options.mode()
@options.model()
@options.parameters()
@options.repeats()
@options.jobs()
@options.max_cost()
@options.resume()
@options.trust()
@options.output_options("table", "json", "markdown")
def experiment(
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

    Each answer becomes a trace linked to its item, with a score for every metric. A failed item gets an `error` score,
    and the run continues. With --baseline or --compare the items must be the suite's golden cases, and the run is saved
    or judged as usual. Data that LangFuse rejects waits in .row3/outbox: exit 3, and `row3 export --to langfuse`
    sends it.
    """
    if baseline and (compare or prompt_label is not None):
        raise click.UsageError("--baseline runs the promoted prompts and compares nothing; leave out the other option")
    project = common.project()
    connection = _connect(project)
    found = datasets.find_dataset(connection, dataset)
    suite = pick_suite(project, common.suite or experiments.suite_for(project, found))
    prepared = experiments.prepare(
        project,
        suite,
        connection,
        found,
        name=name,
        label=prompt_label,
        may_write=common.may_write,
        gated="--baseline" if baseline else "--compare" if compare else "",
    )
    versions = tuple(str(each.ref) for each in prepared.prompts)
    session = replace(common, suite=suite.name, prompt=versions).session(LiveFlags(max_cost=max_cost))
    common.say(f"experiment {name}: {len(prepared.items):,} items of dataset {dataset}, suite {suite.name}")
    if prepared.drafts:
        common.say(f"skipped until someone completes them: {count(prepared.drafts, 'draft')}")
    result = _run(session, prepared, common, baseline=baseline, compare=compare)
    code = show_result(result, common)
    assert result.run is not None
    delivery = experiments.send(session, connection, prepared, result.run)
    _note_summary(common, prepared, result)
    if delivery.error is not None:
        common.say(f"kept in .row3/outbox/langfuse; `row3 export --to langfuse` sends it: {delivery.error}")
    return code or (INCOMPLETE if delivery.error is not None else 0)


def _run(
    session: Session, experiment: experiments.Experiment, common: Common, *, baseline: bool, compare: bool
) -> SuiteResult:
    steps = Steps(common, len(experiment.items))
    asks = session.mode in ("live", "record")
    if asks and not compare:  # a comparison may ask the baseline's prompts too
        session.state.observer = session.state.observer or steps
    if baseline:
        return save_baseline(session)
    if compare:
        return judged(gate(session))

    def replayed(result: CaseScore) -> None:
        steps.finished(result.case_id, result.status, result.problem)

    return ran(experiments.run_items(session, experiment, None if asks else replayed))


def _note_summary(common: Common, experiment: experiments.Experiment, result: SuiteResult) -> None:
    """Report the number of failures and the averages, under their names in EXPERIMENTS if they have one."""
    assert result.run is not None
    run = result.run
    also = {metric.key: metric.also for metric in run.suite.kind.metrics if metric.also}
    averages = ", ".join(f"{also.get(key, key)} {value:.3f}" for key, value in run.header.metrics.items())
    failures = count(len({*run.failed, *run.bad}), "failure")
    common.say(f"experiment {experiment.name}: {run.cases:,} items, {failures}; {averages}")


@click.command(cls=options.Command)
@click.argument("run", metavar="[RUN]", default="")
@options.option("--to", required=True, metavar="SERVICE", help="otel, mlflow or langfuse.")()
@options.option("--format", type=click.Choice(["table", "json"]), help="Format of the result; default: table.")()
def export(run: str, to: str, common: Common) -> int:
    """Send a run to OpenTelemetry, MLflow or LangFuse, with all data that earlier exports could not deliver.

    RUN is the id of a saved run or its beginning; default: the latest. Addresses and keys come from the environment
    (`row3 docs export`). Undelivered runs wait in .row3/outbox: exit 3, and the next export sends it.
    """
    done = exporting.export(common.project(), to, run)
    lines = [f"sent to {to}: {each}" for each in done.sent] + [f"waiting for {to}: {each}" for each in done.waiting]
    value = {"schemaVersion": 1, "to": to, "sent": done.sent, "waiting": done.waiting}
    common.show_report("\n".join(lines), value)
    if done.error is not None:
        kept = f"Kept in .row3/outbox/{to}; `row3 export --to {to}` sends it"
        fix = f"{done.error.fix}. {kept}" if done.error.fix else kept
        raise Undelivered(done.error.what, where=done.error.where, fix=fix)
    return 0
