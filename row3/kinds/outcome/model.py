"""A case of kind `outcome`, the answers of its two arms, and the judgement of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from row3.domain.models import Model, Text
from row3.kinds.answers import Parsed, Unusable, plain_text
from row3.kinds.cases import Case, CaseId
from row3.kinds.outputs import NO_FIELDS, Fields, Output, answer_values, meta

Arm = Literal["baseline", "full"]
ARMS: tuple[Arm, Arm] = ("baseline", "full")


class Evidence(Model):
    """A passage that an answer must cite for a fact."""

    doc: Text
    """Name of a document."""
    quote_contains: Text
    """Text of the document that the quote must contain."""


class Fact(Model):
    """One fact of a good answer: one actor, one action, one date or value."""

    fact_id: CaseId
    claim: Text
    must_cite: list[Evidence | list[Evidence]]
    """A list in it holds alternatives, any one of which is enough."""

    @property
    def needed(self) -> list[list[Evidence]]:
        """The alternatives of each passage that an answer must cite."""
        return [each if isinstance(each, list) else [each] for each in self.must_cite]


class OutcomeCase(Case):
    """A golden case of kind `outcome`: a question, the facts of a good answer with their evidence, and false claims."""

    id: CaseId
    question: Text
    required_facts: list[Fact] = []
    """Empty if the documents do not answer the question."""
    forbidden_claims: list[Text] = []

    def variables(self) -> dict[str, Any]:
        """Return the variables of templates and calls: the question, also as `query`."""
        return {"question": self.question, "query": self.question}


class Citation(Output):
    """A passage cited by an answer."""

    doc: Annotated[str, meta("Name of the document.", "document", "document_id", "documentId", "source")]
    quote: Annotated[str, meta("Copied from the document, character by character.", "text", "evidence")]


class AnswerOut(Output):
    """One arm's answer."""

    answer: Annotated[str, meta("The answer; `not stated` where the documents do not say.")]
    citations: Annotated[list[Citation], meta("", "evidence", "sources")] = []

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Take a plain text for an answer without citations."""
        return {"answer": value} if isinstance(value, str) else value

    @classmethod
    def read(cls, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse an answer; prose is one without citations."""
        plain = plain_text(text)
        if isinstance(plain, Unusable):
            return plain
        read = super().read(text, fields)
        prose = cls(answer=plain.value.strip())
        return read if isinstance(read, Parsed) else Parsed(prose, (*plain.repairs, "prose taken for the answer"))

    def context(self, name: str) -> dict[str, Any]:
        """Return the answer with its citations."""
        return {"answer": answer_values(self)}


class Grades(NamedTuple):
    """A judge's grades of one arm: whole numbers from 0 to 2, by V7.1's rubric."""

    correctness: int
    completeness: int
    evidence: int
    hallucination: int
    """2: nothing unsupported; 0: hallucinations that could affect a decision."""
    missing_facts: tuple[str, ...] = ()
    unsupported_claims: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """A judge's grades of both arms."""

    baseline: Grades
    full: Grades
    claims_full_wins: bool | None
    """The judge's own verdict; shown but not counted."""
    notes: str = ""


class Outcome(NamedTuple):
    """Both answers to a question, and any judgement made elsewhere."""

    baseline: AnswerOut
    full: AnswerOut
    judgement: Any = None
    """V7.1's JSON, not yet parsed."""

    @property
    def answers(self) -> dict[Arm, AnswerOut]:
        """The answers by arm."""
        return {"baseline": self.baseline, "full": self.full}

    def answer_json(self) -> dict[str, Any]:
        """Return both answers as plain values."""
        return {arm: answer_values(answer) for arm, answer in self.answers.items()}
