"""`row3 optimize`: let GEPA reword a prompt, and write the best wording as a draft, tested on held-out cases."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

from row3.commands.optimizing.trials import OutOfBudgetError, Trials, open_trials
from row3.commands.promoting.new_version import next_version, renumbered
from row3.domain.judgements import Interval
from row3.domain.matches import Items
from row3.domain.numbers import percent
from row3.domain.prompts import Lineup, Prompt, PromptRef, digest_of_prompt, parse_reference
from row3.domain.scores import CaseScore, Metric
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile, MissingExtra, UsageError
from row3.gate.pairs import Pairs
from row3.kinds.base import Kind
from row3.project.answer_schemas import model_file, schema_text
from row3.project.cases import StoredCase, source_of
from row3.project.project import Project
from row3.project.prompts import FOLDER, parse_prompt
from row3.project.transaction import commit, writing
from row3.running.lineup import line_up
from row3.running.rendering.templates import used_names
from row3.running.session import Session

MIN_CASES = 2
"""Minimum size of each part."""
BATCH = 3
"""Cases shown to the reflection model at once."""
TASK = """A language model is asked with this prompt template:
```
<curr_param>
```

Here are inputs, its answers, and what is wrong with them:

<side_info>

Write a better template. State general rules that the feedback shows, not the answers to these inputs. Keep every
placeholder in {{ }} and every {% %} as it is; add none. Return the whole template between ``` and ```, nothing else."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The old and the new prompt's primary metric on the same cases."""

    before: float
    after: float
    cases: int
    interval: Interval | None = None
    """95 % interval of the paired difference; None with fewer than two independent cases."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """The draft, with its scores on the selection cases and on held-out cases."""

    suite: str
    metric: Metric
    source: PromptRef
    draft: PromptRef | None
    """None if no variant was better."""
    asked: int
    budget: int
    train: int
    """Number of cases that gave feedback."""
    selection: Evidence
    held_out: Evidence | None


class Parts(NamedTuple):
    """Golden cases, split: for feedback, for choosing among wordings, and for the final test."""

    train: list[StoredCase]
    selection: list[StoredCase]
    held_out: list[StoredCase]


def optimize(session: Session, name: str, *, budget: int, seed: int = 0) -> Optimised:
    """Search for a better wording of a prompt, with at most `budget` answers, and write the best as a draft.

    Raises `MissingExtra`, `UsageError`, `InvalidFile`, and `RunIncomplete` if a provider gives no answer.
    """
    try:
        gepa = import_module("gepa")
    except ImportError:
        fix = "pip install 'row3[optimize]'"
        raise MissingExtra("optimising needs gepa, which is not installed", fix=fix) from None
    project, suite = session.project, session.suite
    lineup, prompt = _lined_up(session, name)
    wording = wording_of(prompt)
    parts = split(list(project.cases_of(suite)), seed)
    draft, held_out = None, None
    with open_trials(session, lineup, prompt.ref.name, budget) as trials:
        reserved = _reserved(trials, parts)
        trials.left -= reserved
        batch = min(BATCH, len(parts.train))
        rounds = budget // batch  # a limit, since refused proposals and known answers cost nothing
        adapter = Adapter(trials, suite.kind, prompt, wording)
        result = gepa.optimize(
            wording,
            trainset=parts.train,
            valset=parts.selection,
            adapter=adapter,
            reflection_lm=adapter.propose,
            reflection_minibatch_size=batch,
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
        trials.left += reserved
        values, best = result.val_aggregate_scores, result.best_idx
        if values[best] > values[0]:
            new = reworded(prompt, result.candidates[best])
            before, after = (trials.scores(each, parts.held_out) for each in (prompt, new))
            held_out = compared(suite.kind, parts.held_out, before, after)
            draft = _write(project, new, held_out, suite.kind.primary_metric.title)
        trials.asked.saved.complete = True
    chosen = Evidence(values[0], values[best], len(parts.selection))
    metric = suite.kind.primary_metric
    return Optimised(suite.name, metric, prompt.ref, draft, trials.spent, budget, len(parts.train), chosen, held_out)


def _lined_up(session: Session, name: str) -> tuple[Lineup, Prompt]:
    """Return the lineup and its prompt of this name or version, promoted or highest if no version is named."""
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
    """Split the cases into about a half and two quarters; cases from one source stay together.

    Raises `UsageError` if a part has fewer than `MIN_CASES`.
    """
    groups: dict[object, list[StoredCase]] = {}
    for stored in cases:
        groups.setdefault(source_of(stored.case) or ("alone", stored.id), []).append(stored)
    order = list(groups.values())
    random.Random(seed).shuffle(order)  # noqa: S311 - a draw, not a secret
    parts = Parts([], [], [])
    quarter = max(MIN_CASES, len(cases) // 4)
    sizes = (len(cases) - 2 * quarter, quarter, quarter)
    for group in sorted(order, key=len, reverse=True):
        emptiest = max(range(len(parts)), key=lambda i: sizes[i] - len(parts[i]))
        parts[emptiest].extend(group)
    if min(map(len, parts)) < MIN_CASES:
        what = f"{len(cases)} golden cases cannot be split into three parts of {MIN_CASES} or more"
        raise UsageError(what, where="golden cases", fix="Write more; those with one `source` stay in one part")
    return parts


def _reserved(trials: Trials, parts: Parts) -> int:
    """Return the answers to reserve for the held-out cases. Raises `UsageError` if the budget is too small."""
    per_case = len(trials.lineup.steps)
    reserved = trials.missing(parts.held_out) + per_case * len(parts.held_out)
    batches = 2 * min(BATCH, len(parts.train))
    needed = reserved + trials.missing(parts.selection) + per_case * (batches + len(parts.selection))
    if trials.left < needed:
        what = f"{trials.left} answers are too few to measure one candidate, which takes up to {needed}"
        raise UsageError(what, where="--budget", fix="Raise it; several candidates take several times as many")
    return reserved


def compared(
    kind: Kind, cases: Sequence[StoredCase], before: Sequence[CaseScore], after: Sequence[CaseScore]
) -> Evidence:
    """Return the evidence of paired scores. Raises `UsageError` if the primary metric applies to none of the cases."""
    pairs = Pairs(kind)
    for stored, old, new in zip(cases, before, after, strict=True):
        pairs.add(old.metrics, new.metrics, source=source_of(stored.case))
    count, (old_means, new_means), key = pairs.counts().get(kind.primary, 0), pairs.means(), kind.primary
    if not count:
        raise UsageError(f"`{key}` applies to no held-out case", where="golden cases", fix="Try another --random-seed")
    return Evidence(old_means[key], new_means[key], count, pairs.differences(kind.primary_metric).interval())


def _write(project: Project, new: Prompt, held_out: Evidence, title: str) -> PromptRef:
    """Write the draft as the next minor version."""
    change = f"{title} on {held_out.cases} held-out cases: {percent(held_out.before)} → {percent(held_out.after)}."
    description = f"Optimised from {new.ref.version} by row3 optimize. {change}"
    with writing(project.root):
        ref = PromptRef(new.ref.name, next_version(project.on_disk().versions[new.ref.name][-1], major=False))
        files = {f"{FOLDER}/{ref}.md": draft_of(new, ref, description).encode()}
        if new.schema is not None and new.schema.model:
            files[model_file(ref)] = schema_text(new.schema.schema).encode()
        commit(project.root, files)
    return ref


@dataclass(slots=True)
class Adapter:
    """GEPA's interface to row3: scores, feedback, and the reflection model's answers."""

    trials: Trials
    kind: Kind
    prompt: Prompt
    wording: Wording
    fault: Exception | None = None
    """The exception that ends the search, since GEPA ignores exceptions."""
    propose_new_texts: None = None

    def evaluate(self, batch: list[StoredCase], candidate: Wording, capture_traces: bool = False) -> Any:
        """Return the scores of a candidate on some cases, as GEPA's batch."""
        flaw, primary, trials = flaw_in(self.wording, candidate), self.kind.primary, self.trials
        if flaw:
            trials.refused.append(flaw)
            scores = [CaseScore(each.id, "bad_answer", {primary: 0.0}, problem=flaw) for each in batch]
        else:
            with self._noting():
                scores = trials.scores(reworded(self.prompt, candidate), batch)
        values = [each.metrics.get(primary, 1.0) for each in scores]  # not applicable: rightly found nothing
        mean = percent(sum(values) / len(values))
        trials.session.say(f"{len(batch)} cases: {mean}; {trials.spent} answers asked")
        traces = list(zip(batch, scores, values, strict=True)) if capture_traces else None
        return import_module("gepa").EvaluationBatch([None] * len(batch), values, traces)

    def make_reflective_dataset(
        self, candidate: Wording, eval_batch: Any, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what the reflection model sees: inputs, answers and feedback of training cases."""
        shown: list[dict[str, Any]] = []
        for stored, score, value in eval_batch.trajectories:
            said = score.raw if score.output is None else score.output.answer_json()
            feedback = "\n".join(feedback_on(self.kind, score, value))
            shown.append({"Input": stored.case.variables(), "Answer": said, "Feedback": feedback})
        shown += [{"Feedback": f"An earlier proposal scored 0. {flaw}"} for flaw in dict.fromkeys(self.trials.refused)]
        self.trials.refused.clear()
        return dict.fromkeys(components_to_update, shown)

    def propose(self, text: str) -> str:
        """Return the reflection model's answer."""
        if self.fault is not None:  # GEPA retries after a failure
            raise self.fault
        with self._noting():
            return self.trials.propose(text)

    def log(self, message: str) -> None:
        """Ignore GEPA's log."""

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except Exception as fault:
            self.fault = fault
            raise


def feedback_on(kind: Kind, score: CaseScore, value: float) -> list[str]:
    """Return lines on a case's answer: its score, missing and extra items, and why checks failed."""
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
    """Return the text of each block. Raises `InvalidFile` if the template lacks a block `user` or nests blocks."""
    used_names(prompt)
    found = {match["name"]: match["text"] for match in BLOCK.finditer(prompt.body)}
    if "user" not in found or any(re.search(r"\{%[-+]?\s*block\b", text) for text in found.values()):
        fix = "Write `{% block user %}…{% endblock %}`, with no block inside another"
        raise InvalidFile("row3 cannot find the text of its blocks", where=prompt.path, fix=fix)
    return dict(sorted(found.items(), reverse=True))  # GEPA starts with the first: `user`


def reworded(prompt: Prompt, wording: Wording) -> Prompt:
    """Return the prompt with new text in its blocks; a special path identifies its errors."""

    def with_text(match: re.Match[str]) -> str:
        start = match.start()
        return match[0][: match.start("text") - start] + wording[match["name"]] + match[0][match.end("text") - start :]

    body = BLOCK.sub(with_text, prompt.body)
    text = prompt.text.removesuffix(prompt.body) + body
    return replace(
        prompt, body=body, text=text, digest=digest_of_prompt(text, prompt.schema), path=f"{prompt.path} reworded"
    )


def flaw_in(old: Wording, new: Wording) -> str:
    """Return a sentence on the placeholders that a wording loses or adds; empty if it keeps them."""
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
    """Return the file of a new version of the prompt. Raises `InvalidFile` if the result cannot be parsed."""
    head = prompt.text.removesuffix(prompt.body)
    line = f"description: {json.dumps(description, ensure_ascii=False)}\n"
    head, found = DESCRIPTION.subn(lambda _: line, head, count=1)
    if not found:
        before, ruler, after = head.rpartition("---")
        head = f"{before}{line}{ruler}{after}"
    text = renumbered((head + prompt.body).encode(), prompt.ref, ref).decode()
    parse_prompt(text, ref, path=f"prompts/{ref}.md", where=f"prompts/{ref}.md")
    return text
