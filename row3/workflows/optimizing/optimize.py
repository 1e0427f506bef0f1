"""`row3 optimize`: other words for a prompt, found by GEPA, as a draft with evidence from cases that it never saw."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

from row3.domain.counts import did_you_mean
from row3.domain.matches import Items
from row3.domain.optimised import Evidence, Optimised
from row3.domain.prompts import Lineup, Prompt, PromptRef, parse_reference
from row3.domain.requests import digest_text
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, MissingExtra, UsageError
from row3.gate.pairs import Pairs
from row3.kinds.base import Kind
from row3.reports.numbers import percent
from row3.store.cases import StoredCase, read_cases, source_of
from row3.store.project import Project
from row3.store.prompts import FOLDER, parse_prompt, versions
from row3.store.transaction import commit, writing
from row3.workflows.optimizing.trials import OutOfBudgetError, Trials, open_trials
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.templates import used_names
from row3.workflows.promoting.new_version import next_version, renumbered
from row3.workflows.session import Session

LEAST = 2
"""Cases of each part."""
SHOWN = 3
"""Cases that one reflection sees."""
TASK = """A language model is asked with this prompt template:
```
<curr_param>
```

Here are inputs, its answers, and what is wrong with them:

<side_info>

Write a better template. State general rules that the feedback shows, not the answers to these inputs. Keep every
placeholder in {{ }} and every {% %} as it is; add none. Return the whole template between ``` and ```, nothing else."""


class Parts(NamedTuple):
    """Golden cases, split: those that give feedback, those that choose, and those that the optimiser never sees."""

    train: list[StoredCase]
    selection: list[StoredCase]
    held_out: list[StoredCase]


def optimize(session: Session, name: str, *, budget: int, seed: int = 0) -> Optimised:
    """Look for better words for a prompt and write the best as a draft.

    Raises `MissingExtra`, `UsageError`, `InvalidFile`, and `RunIncomplete` where a provider gives no answer.
    """
    try:
        gepa = import_module("gepa")
    except ImportError:
        fix = "pip install 'row3[optimize]'"
        raise MissingExtra("optimising needs gepa, which is not installed", fix=fix) from None
    project, suite = session.project, session.suite
    lineup, prompt = _lined_up(session, name)
    wording = wording_of(prompt)
    parts = split(list(read_cases(project.tree, suite.golden, suite.kind)), seed)
    draft, held_out = None, None
    with open_trials(session, lineup, prompt.ref.name, budget) as trials:
        aside = _set_aside(trials, parts)
        trials.left -= aside
        shown = min(SHOWN, len(parts.train))
        rounds = budget // shown  # a refused proposal, or answers that are known, cost nothing and could go on for ever
        adapter = Adapter(trials, suite.kind, prompt, wording)
        result = gepa.optimize(
            wording,
            trainset=parts.train,
            valset=parts.selection,
            adapter=adapter,
            reflection_lm=adapter.propose,
            reflection_minibatch_size=shown,
            reflection_prompt_template=TASK,
            stop_callbacks=lambda state: (
                adapter.fault is not None
                or trials.left < 1
                or state.i + 1 >= rounds
                or max(state.program_full_scores_val_set) >= 1.0
            ),
            logger=adapter,
            track_best_outputs=False,
            raise_on_exception=False,
            seed=seed,
        )
        if adapter.fault is not None and not isinstance(adapter.fault, OutOfBudgetError):
            raise adapter.fault
        trials.left += aside
        values, best = result.val_aggregate_scores, result.best_idx
        if values[best] > values[0]:
            new = reworded(prompt, result.candidates[best])
            before, after = (trials.scores(each, parts.held_out) for each in (prompt, new))
            held_out = compared(suite.kind, parts.held_out, before, after)
            draft = _write(project, new, held_out, suite.kind.primary_metric.title)
        trials.asked.saved.discard()
    chosen = Evidence(values[0], values[best], len(parts.selection))
    metric = suite.kind.primary_metric
    return Optimised(suite.name, metric, prompt.ref, draft, trials.spent, budget, len(parts.train), chosen, held_out)


def _lined_up(session: Session, name: str) -> tuple[Lineup, Prompt]:
    """Return the lineup, and the prompt of a name: a version that it names, else the promoted one, else the highest."""
    name = name.removeprefix("prompts/").removesuffix(".md")
    named = [name] if parse_reference(name) else []
    lineup = line_up(session.project, session.suite, role="promoted", named=named, where="PROMPT")
    prompts = {key: each for each in lineup.prompts if each.stage is None for key in (each.ref.name, str(each.ref))}
    if name not in prompts:
        known = [each.ref.name for each in lineup.prompts if each.stage is None]
        fix = did_you_mean(name, known, f"Prompts: {', '.join(known) or 'none'}")
        raise UsageError(f"suite `{session.suite.name}` has no prompt `{name}`", where="PROMPT", fix=fix)
    return lineup, prompts[name]


def split(cases: Sequence[StoredCase], seed: int) -> Parts:
    """Return about half of the cases, a quarter and a quarter; cases with one source stay together.

    Raises `UsageError` where a part has fewer than `LEAST`.
    """
    groups: dict[object, list[StoredCase]] = {}
    for stored in cases:
        groups.setdefault(source_of(stored.case) or ("alone", stored.id), []).append(stored)
    order = list(groups.values())
    random.Random(seed).shuffle(order)  # noqa: S311 - a draw, not a secret
    parts = Parts([], [], [])
    few = max(LEAST, len(cases) // 4)
    wanted = (len(cases) - 2 * few, few, few)
    for group in sorted(order, key=len, reverse=True):
        lacks = [want - len(part) for want, part in zip(wanted, parts, strict=True)]
        parts[lacks.index(max(lacks))].extend(group)
    if min(map(len, parts)) < LEAST:
        what = f"{len(cases)} golden cases cannot be split into three parts of {LEAST} or more"
        raise UsageError(what, where="golden cases", fix="Write more; those with one `source` stay in one part")
    return parts


def _set_aside(trials: Trials, parts: Parts) -> int:
    """Return the answers that measuring the held-out cases takes; raises `UsageError` for too small a budget."""
    costs = len(trials.lineup.steps)
    aside = trials.lacking(parts.held_out) + costs * len(parts.held_out)
    shown = 2 * min(SHOWN, len(parts.train))
    least = aside + trials.lacking(parts.selection) + costs * (shown + len(parts.selection))
    if trials.left < least:
        what = f"{trials.left} answers are too few to measure one candidate: that takes up to {least}"
        raise UsageError(what, where="--budget", fix="Raise it; several candidates take several times as many")
    return aside


def compared(
    kind: Kind, cases: Sequence[StoredCase], before: Sequence[CaseScore], after: Sequence[CaseScore]
) -> Evidence:
    """Return the evidence of paired scores. Raises `UsageError` where the primary metric applies to none of them."""
    pairs = Pairs(kind)
    for stored, old, new in zip(cases, before, after, strict=True):
        pairs.add(old.metrics, new.metrics, source=source_of(stored.case))
    count, (old_means, new_means), key = pairs.counts().get(kind.primary, 0), pairs.means(), kind.primary
    if not count:
        raise UsageError(f"`{key}` applies to no held-out case", where="golden cases", fix="Try another --random-seed")
    return Evidence(old_means[key], new_means[key], count, pairs.differences(kind.primary_metric).interval())


def _write(project: Project, new: Prompt, held_out: Evidence, title: str) -> PromptRef:
    """Write the draft as the next minor version."""
    moved = f"{percent(held_out.before)} → {percent(held_out.after)}"
    told = f"Optimised from {new.ref.version} by row3 optimize. {title} on {held_out.cases} held-out cases: {moved}."
    with writing(project.local):
        ref = PromptRef(new.ref.name, next_version(versions(project.tree)[new.ref.name][-1], major=False))
        commit(project.root, project.local, {f"{FOLDER}/{ref}.md": draft_of(new, ref, told).encode()})
    return ref


@dataclass(slots=True)
class Adapter:
    """What GEPA asks of row3: scores, feedback, and the reflection model's words."""

    trials: Trials
    kind: Kind
    prompt: Prompt
    wording: Wording
    fault: Exception | None = None
    """What ended the search: GEPA itself goes on after every exception."""
    propose_new_texts: None = None

    def evaluate(self, batch: list[StoredCase], candidate: Wording, capture_traces: bool = False) -> Any:
        """Return the scores of a candidate on some cases, in GEPA's form."""
        flaw, primary, trials = flaw_in(self.wording, candidate), self.kind.primary, self.trials
        if flaw:
            trials.refused.append(flaw)
            scores = [CaseScore(each.id, "bad_answer", {primary: 0.0}, problem=flaw) for each in batch]
        else:
            with self._noting():
                scores = trials.scores(reworded(self.prompt, candidate), batch)
        values = [each.metrics.get(primary, 1.0) for each in scores]  # nothing was to be found, nor was
        mean = percent(sum(values) / len(values))
        trials.session.say(f"{len(batch)} cases: {mean}; {trials.spent} answers asked")
        traces = list(zip(batch, scores, values, strict=True)) if capture_traces else None
        return import_module("gepa").EvaluationBatch([None] * len(batch), values, traces)

    def make_reflective_dataset(
        self, candidate: Wording, eval_batch: Any, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what the reflection model is shown: inputs, answers and feedback of training cases."""
        shown: list[dict[str, Any]] = []
        for stored, score, value in eval_batch.trajectories:
            said = score.raw if score.output is None else self.kind.output_json(score.output)
            feedback = "\n".join(feedback_on(self.kind, score, value))
            shown.append({"Input": self.kind.variables(stored.case), "Answer": said, "Feedback": feedback})
        shown += [{"Feedback": f"An earlier proposal scored 0. {flaw}"} for flaw in dict.fromkeys(self.trials.refused)]
        self.trials.refused.clear()
        return dict.fromkeys(components_to_update, shown)

    def propose(self, text: str) -> str:
        """Return the reflection model's answer."""
        if self.fault is not None:  # GEPA asks once more after a failure
            raise self.fault
        with self._noting():
            return self.trials.propose(text)

    def log(self, message: str) -> None:
        """Drop GEPA's own log."""

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except Exception as fault:
            self.fault = fault
            raise


def feedback_on(kind: Kind, score: CaseScore, value: float) -> list[str]:
    """Return what went wrong in a case, in lines: its score, what is missing or extra, and why checks failed."""
    lines = [f"{kind.primary_metric.title}: {percent(value)}", score.problem]
    lines += [f"{kind.failure(name, items[0])}: {'; '.join(items)}" for name, items in kind.shortfall(score).items()]
    if isinstance(score.explanation, Items):
        failed = (each for each in score.explanation.items if each.state not in score.explanation.correct)
        lines += [f"{each.label}: {each.notes['reason']}" for each in failed if each.notes.get("reason")]
    return [line for line in lines if line]


BLOCK = re.compile(
    r"\{%[-+]?\s*block\s+(?P<name>system|user)\b[^%]*%\}\s*(?P<text>.*?)\s*\{%[-+]?\s*endblock\b[^%]*%\}", re.DOTALL
)
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
DESCRIPTION = re.compile(r"""^["']?description["']?[ \t]*:.*\n(?:[ \t]+.*\n|[ \t]*\n)*""", re.MULTILINE)

Wording = Mapping[str, str]
"""Text by block."""


def wording_of(prompt: Prompt) -> dict[str, str]:
    """Return the text of each block. Raises `InvalidFile` for a template that has no block `user`, or nested ones."""
    used_names(prompt)
    found = {match["name"]: match["text"] for match in BLOCK.finditer(prompt.body)}
    if "user" not in found or any(re.search(r"\{%[-+]?\s*block\b", text) for text in found.values()):
        fix = "Write `{% block user %}…{% endblock %}`, with no block inside another"
        raise InvalidFile("the text of its blocks cannot be told", where=prompt.path, fix=fix)
    return dict(sorted(found.items(), reverse=True))  # the first is tried first


def reworded(prompt: Prompt, wording: Wording) -> Prompt:
    """Return the prompt with other text in its blocks."""

    def other(match: re.Match[str]) -> str:
        start = match.start()
        return match[0][: match.start("text") - start] + wording[match["name"]] + match[0][match.end("text") - start :]

    body = BLOCK.sub(other, prompt.body)
    text = prompt.text.removesuffix(prompt.body) + body
    # Known by another path, so that what is wrong with its template is told from what is wrong elsewhere.
    return replace(prompt, body=body, text=text, digest=digest_text(text), path=f"{prompt.path} reworded")


def flaw_in(old: Wording, new: Wording) -> str:
    """Return which placeholders a wording loses or adds, in a sentence; empty for none."""
    for name, text in old.items():
        before, after = _tags(text), _tags(new[name])
        for word, tags in (("loses", before - after), ("adds", after - before)):
            if tags:
                return f"The text {word} {', '.join(sorted(tags))}."
    return ""


def _tags(text: str) -> set[str]:
    tags = TAG.findall(COMMENT.sub("", text))
    return {f"{tag[:2]} {' '.join(tag[2:-2].strip('-+').split())} {tag[-2:]}" for tag in tags}


def draft_of(prompt: Prompt, ref: PromptRef, description: str) -> str:
    """Return the text of a file with the prompt as another version. Raises `InvalidFile` where that cannot be made."""
    head = prompt.text.removesuffix(prompt.body)
    line = f"description: {json.dumps(description, ensure_ascii=False)}\n"
    head, found = DESCRIPTION.subn(lambda _: line, head, count=1)
    if not found:
        before, ruler, after = head.rpartition("---")
        head = f"{before}{line}{ruler}{after}"
    text = renumbered((head + prompt.body).encode(), prompt.ref, ref).decode()
    parse_prompt(text, ref, path=f"prompts/{ref}.md", where=f"prompts/{ref}.md")
    return text
