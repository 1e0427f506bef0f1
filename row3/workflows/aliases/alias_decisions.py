"""What a person decides of an unmatched item, written down at once: into the golden case, or beside the cases.

Each decision is a change of one file, under the project's write lock, made on the file as it stands then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from row3.errors import UsageError
from row3.kinds.base import Finding
from row3.kinds.extraction.model import GoldenCase
from row3.matching.names import closest
from row3.matching.normalise import normalise
from row3.reports.alias_model import Candidate, Decision, Unmatched, Verdict
from row3.reports.style import plain
from row3.store.case_edits import with_aliases, with_canaries
from row3.store.cases import parse_case, read_case
from row3.store.files import read_bytes, write_atomic
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.reviewed import Reviewed
from row3.store.suites import Suite
from row3.workflows.pipeline.run_header import now

COMMAND = "`row3 aliases review`"


class Decider:
    """Writes decisions and takes them back.

    Every method raises `UsageError` where the decision cannot be, `InvalidFile` or `EnvironmentFault` where the file
    cannot be used; then nothing was written.
    """

    def __init__(self, project: Project, suite: Suite, *, say: Callable[[str], None] = lambda _: None) -> None:
        self._project, self._suite, self._say = project, suite, say

    def alias(self, item: Unmatched, candidate: Candidate) -> Decision:
        """Accept the item, in all its forms that need it, as another name of an expected concept."""
        return self._edit(item, "alias", candidate)

    def canary(self, item: Unmatched) -> Decision:
        """Forbid the item: it is made up."""
        return self._edit(item, "canary", None)

    def wrong(self, item: Unmatched) -> Decision:
        """Remember that the item is wrong, neither another name nor made up."""
        labels = tuple(form.label for form in item.forms)
        with writing(self._project.local, say=self._say):
            reviewed = self._reviewed()
            before = reviewed.contents()
            reviewed.add(item.case_id, labels, self._source_text(item), date=now()[:10])
            after = reviewed.contents()
        return Decision("wrong", item, labels, "", reviewed.where, before, after)

    def undo(self, decision: Decision) -> None:
        """Take a decision back: the file is as it was, to the byte.

        Where somebody else judged items meanwhile, only these are taken out.
        """
        path = self._project.root / decision.file
        with writing(self._project.local, say=self._say):
            if decision.verdict == "wrong":
                reviewed = self._reviewed()
                if reviewed.contents() == decision.after:
                    reviewed.restore(decision.before)
                else:
                    reviewed.remove(decision.item.case_id, decision.names, self._source_text(decision.item))
                return
            if read_bytes(path, where=decision.file) != decision.after:
                what = "the file was changed after the decision, so it cannot be put back"
                raise UsageError(what, where=decision.file, fix="Take the line out by hand")
            write_atomic(path, decision.before, where=decision.file)

    def _reviewed(self) -> Reviewed:
        return Reviewed(self._project.root, self._suite.golden)

    def _source_text(self, item: Unmatched) -> str:
        case: GoldenCase = read_case(self._project.tree, item.file, self._suite.kind).case
        return case.source_text

    def _edit(self, item: Unmatched, verdict: Verdict, candidate: Candidate | None) -> Decision:
        path = self._project.root / item.file
        with writing(self._project.local, say=self._say):
            before = read_bytes(path, where=item.file)
            case: GoldenCase = parse_case(before, item.file, self._suite.kind, where=item.file).case
            if candidate is None:
                names = self._needed(item, case.forbidden_concepts)
                after = with_canaries(before, names, _entry("canary", names, "", item))
            else:
                held = self._claimed(item, case, candidate)
                names = self._needed(item, held)
                entry = _entry("alias", names, candidate.label, item)
                after = with_aliases(before, candidate.position, names, entry)
            self._refuse_new_errors(case, parse_case(after, item.file, self._suite.kind, where=item.file).case, item)
            write_atomic(path, after, where=item.file)
        label = "" if candidate is None else candidate.label
        return Decision(verdict, item, names, label, item.file, before, after)

    def _claimed(self, item: Unmatched, case: GoldenCase, candidate: Candidate) -> list[str]:
        """The names that the concept has; raises `UsageError` where one of the item's is another's."""
        concepts = case.expected_concepts
        there = candidate.position < len(concepts) and concepts[candidate.position].label == candidate.label
        if not there:
            what = f"`{candidate.label}` is no longer where it was: the file was changed meanwhile"
            raise UsageError(what, where=item.file, fix="Quit and start the review again")
        forms = {normalise(form.label): form.label for form in item.forms}
        for position, concept in enumerate(concepts):
            taken = {normalise(name) for name in (concept.label, *concept.aliases)} & forms.keys()
            if taken and position != candidate.position:
                what = f"`{forms[taken.pop()]}` is already a name of `{concept.label}`, and can be of one concept only"
                raise UsageError(what, where=item.file, fix="Choose that concept, or take the name from it first")
        for canary in case.forbidden_concepts:
            if normalise(canary) in forms:
                what = f"`{canary}` is a canary of this case, and cannot be expected as well"
                raise UsageError(what, where=item.file, fix="Skip it, or remove the canary first")
        return [concepts[candidate.position].label, *concepts[candidate.position].aliases]

    def _needed(self, item: Unmatched, held: Sequence[str]) -> tuple[str, ...]:
        """The forms that what is held, with those before them, would not match; as they are to be written."""
        keys, needed = [normalise(name) for name in held], []
        clean = [(plain(form.label), normalise(form.label)) for form in item.forms]
        writable = [name for name, key in clean if normalise(name) == key]
        if not writable:
            what = "the name holds characters that cannot be seen, and would not match without them"
            raise UsageError(what, where=f"{item.file} item `{clean[0][0]}`", fix="Skip it, or edit the case by hand")
        for name in writable:
            if closest(normalise(name), keys, self._suite.rules.names) is None:
                needed.append(name)
                keys.append(normalise(name))
        if not needed:
            what = f"`{writable[0]}` is already among the names: the file was changed meanwhile"
            raise UsageError(what, where=item.file, fix="Skip it")
        return tuple(needed)

    def _refuse_new_errors(self, old: GoldenCase, new: GoldenCase, item: Unmatched) -> None:
        """Raise `UsageError` where `row3 lint` would find an error that it does not find now."""
        known = {(finding.rule, finding.path) for finding in self._errors(old)}
        fresh = [finding for finding in self._errors(new) if (finding.rule, finding.path) not in known]
        if fresh:
            where = f"{item.file} field {'.'.join(map(str, fresh[0].path))}"
            raise UsageError(f"refused: {fresh[0].message}", where=where, fix="Choose another key; nothing was written")

    def _errors(self, case: GoldenCase) -> list[Finding]:
        return [finding for finding in self._suite.kind.lint(case, self._suite.rules) if finding.level == "error"]


def _entry(what: str, names: Sequence[str], concept: str, item: Unmatched) -> dict[str, str]:
    """What the case's history says of the change. The reason is one of the text, never of an answer."""
    listed = ", ".join(f"`{name}`" for name in names)
    if what == "canary":
        reason = f"not in the text and made up; judged in {COMMAND}"
        return {
            "date": now()[:10],
            "change": f"{'canary' if len(names) == 1 else 'canaries'} {listed}",
            "reason": reason,
        }
    place = f"stands in the text, line {item.place.line}" if item.in_text and item.place else "not in the text"
    reason = f"another name of the same concept ({place}); judged in {COMMAND}"
    noun = "alias" if len(names) == 1 else "aliases"
    return {"date": now()[:10], "change": f"{noun} {listed} of `{concept}`", "reason": reason}
