"""`row3 experiment`: run a dataset's items through a suite's pipeline and save the run in LangFuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from row3.domain.scores import CaseScore
from row3.domain.words import count
from row3.errors import UsageError
from row3.gate.results import Run
from row3.integrations.exporting import Delivery, deliver
from row3.integrations.finished import read_finished
from row3.integrations.langfuse.client import Connection, Item, row3_part
from row3.integrations.langfuse.datasets import NAMED, dataset_of, pair_cases
from row3.integrations.langfuse.prompts import PromptSync, labelled, pull_prompts
from row3.integrations.langfuse.sink import LangFuseSink, metadata_of
from row3.project.cases import ENDING
from row3.project.files import write_atomic
from row3.project.local_state import in_local
from row3.project.project import Project
from row3.project.saved_runs import RUNS, context_path
from row3.project.suites import Suite
from row3.project.tree import GitTree
from row3.reports.sentences import some
from row3.running.lineup import line_up
from row3.running.session import Session, save_log
from row3.running.suite_run import run_suite

if TYPE_CHECKING:
    from langfuse.api import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The items and prompts of an experiment."""

    name: str
    dataset: Dataset
    items: Mapping[str, tuple[Item, Mapping[str, Any]]]
    """Items to run with the cases they hold, by case id; without drafts."""
    drafts: int
    differing: Sequence[str]
    """Ids of the cases that differ between dataset and golden cases."""
    prompts: Sequence[PromptSync]
    """Prompts with the label."""
    label: str | None


def suite_for(project: Project, dataset: Dataset) -> str | None:
    """Return a dataset's suite by row3.toml, else the one that `row3 langfuse push` noted; None if there is none."""
    noted = row3_part(dataset.metadata).get("suite", dataset.name)
    return next((suite for suite in project.suite_names() if dataset_of(project, suite) == dataset.name), None) or (
        noted if noted in project.suite_names() else None
    )


def prepare(
    project: Project,
    suite: Suite,
    connection: Connection,
    dataset: Dataset,
    *,
    name: str,
    label: str | None,
    may_write: bool,
    gated: str = "",
) -> Experiment:
    """Read the dataset's items, and pull the prompts with the label.

    `gated` is the option that makes the run a baseline or has it judged: then the items must equal the suite's golden
    cases. Raises `UsageError` if they do not and for a dataset without items, `InvalidFile` for an item that does not
    hold a case, and as `Connection.faults` and `pull_prompts`.
    """
    cases = pair_cases(project, suite, connection, dataset.name)
    items = [(each.item, each.item.case(suite, where=each.item.place(dataset.name))) for each in cases if each.item]
    counted = {item.case_id(suite): (item, case) for item, case in items if not case.get("draft")}
    if not counted:
        fix = f"Push cases with `row3 langfuse push {suite.name}`"
        raise UsageError("the dataset has no items to run", where=f"dataset {dataset.name}", fix=fix)
    drafts = {each.case_id for each in cases if (each.local or each.remote or {}).get("draft")}
    differing = [each.case_id for each in cases if each.digests[0] != each.digests[1] and each.case_id not in drafts]
    if gated and differing:
        own = dataset_of(project, suite.name) == dataset.name
        before = "" if own else f'Set {suite.name} = "{dataset.name}" under [langfuse.datasets] and run '
        differ = count(len(differing), "case differs", "cases differ")
        what = f"{differ} between dataset {dataset.name} and {suite.golden}/: {some(differing, NAMED)}"
        raise UsageError(what, where=gated, fix=f"{before}`row3 langfuse pull {suite.name}`, review, and commit")
    prompts: Sequence[PromptSync] = ()
    if label is not None:
        pipeline = line_up(project, suite, role="candidate").versions()
        with_label = labelled(connection, label)
        names = [prompt for prompt in pipeline if prompt in with_label]
        if not names:
            what = f"no prompt of suite `{suite.name}` has the label `{label}` in LangFuse"
            raise UsageError(what, where="--prompt-label", fix=f"Its prompts are {', '.join(pipeline)}")
        prompts = pull_prompts(project, connection, names, label, may_write=may_write)
    return Experiment(
        name=name,
        dataset=dataset,
        items=counted,
        drafts=len(items) - len(counted),
        differing=differing,
        prompts=prompts,
        label=label,
    )


def run_items(session: Session, experiment: Experiment, take: Callable[[CaseScore], None] | None) -> Run:
    """Run the items through the suite's pipeline; if all equal the golden cases, run those. `take` gets each result."""
    project, suite = session.project, session.suite
    judge = None
    if experiment.differing:
        contents = {
            f"{suite.golden}/{case_id}{ENDING}": json.dumps(case, ensure_ascii=False).encode()
            for case_id, (_, case) in experiment.items.items()
        }
        label, ids = f"dataset {experiment.dataset.name}", dict.fromkeys(contents, "")
        judge = replace(project, tree=GitTree(project.root, label, ids, contents, elsewhere=project.tree.read))
    run = run_suite(session, judge=judge, take=take)
    save_log(session.project, run, session.say)
    return run


def send(session: Session, connection: Connection, experiment: Experiment, run: Run) -> Delivery:
    """Send a run as the experiment; what does not arrive is kept for `row3 export --to langfuse`."""
    project = session.project
    log = in_local(project.local, f"{RUNS}/{run.header.run_id}.json")
    if not log.exists():
        save_log(session.project, run, session.say)
    metadata = metadata_of(run.header) | ({} if experiment.label is None else {"promptLabel": experiment.label})
    about = {
        "name": experiment.name,
        "datasetId": experiment.dataset.id,
        "prompts": {str(each.ref): each.remote_version for each in experiment.prompts},
        "metadata": metadata,
    }
    items = {case_id: item.context for case_id, (item, _) in experiment.items.items()}
    context = {"experiment": about, "items": items}
    write_atomic(context_path(log), json.dumps(context, ensure_ascii=False), where=".row3/runs")
    return deliver(project, LangFuseSink(connection), [read_finished(project, log)])
