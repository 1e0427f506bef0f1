"""What the reports need of a run; workflows' own types fit these as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from row3.domain.metrics import Metric, Threshold, Zone
from row3.domain.quarantine import Quarantine
from row3.domain.scores import Tally, Usage
from row3.gate.policy import GatePolicy
from row3.metrics.aggregate import Seen


class Lines(Protocol):
    """Lines of JSON, perhaps many, read as often as needed."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[bytes]: ...


@runtime_checkable
class JoinedLines(Protocol):
    """Lines that lie as they are to be written."""

    def joined(self) -> Iterator[bytes]:
        """All of them with a comma and a line end between them, as few large pieces that end where a line does."""
        ...


class KindView(Protocol):
    """Of a kind: its metrics, headline first, and the key of the composite."""

    @property
    def metrics(self) -> Sequence[Metric]: ...

    @property
    def primary(self) -> str: ...


class RulesView(Protocol):
    """Of a suite's rules: where the zones begin, and which predicates an answer may use."""

    @property
    def thresholds(self) -> Mapping[str, Threshold]: ...

    @property
    def predicates(self) -> Sequence[str]: ...


class SuiteView(Protocol):
    """Of a suite: name, kind, rules, gate."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> KindView: ...

    @property
    def rules(self) -> RulesView: ...

    @property
    def policy(self) -> GatePolicy: ...

    @property
    def golden(self) -> str:
        """Folder of its cases, from the project on."""
        ...

    @property
    def system(self) -> object:
        """What answers in the place of a model; None where prompts are answered."""
        ...

    @property
    def flag(self) -> str:
        """What a command has to be given to be about it: ` --suite NAME`; empty for the default suite."""
        ...

    def flags(self, command: str, *said: str) -> str:
        """That, and what the command line said besides of the answers: what the printed `command` has to be given.

        What the command says itself is left out: names of options, and the prompt version that is its argument.
        """
        ...

    @property
    def local(self) -> bool:
        """Its model runs in this process."""
        ...


class LineupView(Protocol):
    """Of the prompts that run: which versions are promoted, and which were once, by name."""

    @property
    def promoted(self) -> Mapping[str, str]: ...

    @property
    def formerly(self) -> Mapping[str, frozenset[str]]: ...


class HeaderView(Protocol):
    """What a saved run says of itself."""

    @property
    def run_id(self) -> str: ...

    @property
    def at(self) -> str: ...

    @property
    def action(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def prompts(self) -> Mapping[str, str]: ...

    @property
    def model(self) -> str: ...

    @property
    def repeats(self) -> int: ...

    @property
    def metrics(self) -> Mapping[str, float]: ...

    @property
    def pooled(self) -> Mapping[str, float]: ...

    @property
    def denominators(self) -> Mapping[str, int]: ...

    @property
    def usage(self) -> Mapping[str, Any]: ...


class CollectedView(Protocol):
    """Which cases failed or gave a bad answer; what was skipped, by metric and reason; how the items matched."""

    @property
    def failed(self) -> Sequence[str]: ...

    @property
    def bad(self) -> Sequence[str]: ...

    @property
    def skipped(self) -> Mapping[str, Mapping[str, int]]: ...

    @property
    def seen_in(self) -> Mapping[str, Seen]: ...

    @property
    def tally(self) -> Tally: ...


class CaseView(Protocol):
    """One row of the table of cases."""

    @property
    def case_id(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def metrics(self) -> Mapping[str, float]: ...

    @property
    def zones(self) -> Mapping[str, Zone]: ...

    @property
    def spread(self) -> float | None: ...


class RunView(Protocol):
    """A finished run."""

    @property
    def header(self) -> HeaderView: ...

    @property
    def suite(self) -> SuiteView: ...

    @property
    def lineup(self) -> LineupView: ...

    @property
    def collected(self) -> CollectedView: ...

    @property
    def zones(self) -> Mapping[str, Zone]: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def records(self) -> Lines: ...

    @property
    def details(self) -> Lines: ...

    @property
    def rows(self) -> Sequence[CaseView]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    @property
    def problems(self) -> Sequence[tuple[str, str]]: ...

    @property
    def quarantine(self) -> Quarantine: ...

    @property
    def cases(self) -> int: ...
