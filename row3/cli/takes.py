"""What each command takes of the shared options; one that would do nothing there is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from row3.cli.common import Common
from row3.errors import UsageError

FORMATS = ("table", "json", "markdown", "junit", "github", "codequality", "comment")
HTML = "html"
PLAIN = ("table", "json")
ALWAYS = frozenset({"directory", "quiet", "no_color"})
PARAMETERS = frozenset({"model", "temperature", "seed", "max_tokens"})
CANDIDATES = frozenset({"suite", "prompt", "case"})
RUNS = CANDIDATES | PARAMETERS | {"mode", "repeats", "jobs"}
GATES = frozenset({"policy", "inconclusive", "fail"})
AGAIN = frozenset({"suite", "case", "seed", "repeats", "jobs", "fail"})
"""Of a drift; the model and its parameters are those of what is asked again."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What one command takes beside `ALWAYS`."""

    options: frozenset[str] = frozenset()
    forms: tuple[str, ...] = ()
    """Forms of its result, that of a file first; none where there is only one, a text."""
    out: Literal["file", "folder", "own"] | None = "file"
    """What --out names; `own`: the command finds out."""
    told: frozenset[str] = frozenset()
    """Refused by the command itself, which knows more to say about it."""
    endings: tuple[str, ...] = ()
    """Of a file with its text, beside the usual ones."""
    instead: dict[str, str] = field(default_factory=dict)
    """What to do where an option is missed most."""
    words: dict[str, str] = field(default_factory=dict)
    """Its own help of a shared option."""

    @property
    def all(self) -> frozenset[str]:
        """Every option, by the name of its field."""
        result = frozenset({"out"} if self.out else ()) | frozenset({"format"} if self.forms else ())
        return (ALWAYS | self.options | result) - self.told


GRANTED = (("mode", "replay"), ("repeats", 1))
"""What every command does that is not told otherwise: a script may say so to all of them, and how many jobs it has."""
SUITE, CASE = frozenset({"suite"}), frozenset({"case"})
LONGER = frozenset({"verbose"})
"""Has more to say with -v; the others take it too, and say all they know without."""
ARGUMENT = {"suite": "The suite is its argument: `row3 score SUITE`"}
ITS_OWN = PARAMETERS - {"seed"} | {"mode"}
SAMPLED = {"seed": "Chooses the sample; default: 0."}
REPORTED = ("markdown", *(each for each in FORMATS if each != "markdown"), HTML)
TAKES: dict[str, Takes] = {
    "row3": Takes(RUNS | GATES | LONGER | {"approve"}, FORMATS),
    "row3 promote": Takes(RUNS - CASE | GATES | LONGER | {"approve"}, FORMATS, told=CASE),
    "row3 hook install": Takes(),
    "row3 hook uninstall": Takes(),
    "row3 hook status": Takes(),
    "row3 hook run": Takes(out=None),
    "row3 init": Takes(),
    "row3 lint": Takes(
        SUITE,
        ("table", "json", "github", "codequality"),
        words={"suite": "Only this suite; default: all of them.", "quiet": "Errors only, in the table."},
    ),
    "row3 new-version": Takes(),
    "row3 score": Takes(
        CASE | LONGER | {"mode", "jobs"},
        FORMATS,
        told=frozenset({"repeats"}),
        instead=ARGUMENT,
        words={
            "mode": "Where embeddings come from, of a suite that matches by meaning.",
            "jobs": "Processes that score.",
        },
    ),
    "row3 diff": Takes(
        RUNS - {"mode"} | LONGER, ("table", "json", "markdown"), words={"jobs": "Processes that score."}
    ),
    "row3 leaderboard": Takes(
        RUNS - {"model"} | LONGER,
        ("table", "json", "markdown"),
        told=frozenset({"model"}),
        words={"mode": "live or auto: ask for what is missing; default: replay.", "prompt": "As --prompts."},
    ),
    "row3 investigate": Takes(
        (RUNS - CASE - {"repeats", "jobs"}) | {"fail"},
        ("markdown", "table", "json"),
        words={
            "fail": "What counts as a fall, by metric, before row3.toml.",
            "mode": "Where the answer comes from; default: replay.",
            "format": "Form of the result; default: table on a terminal, else markdown.",
        },
    ),
    "row3 aliases review": Takes(
        CANDIDATES, PLAIN, endings=(".tsv",), words={"prompt": "Review this version only; default: all of them."}
    ),
    "row3 power": Takes(
        RUNS | GATES - {"inconclusive"},
        PLAIN,
        words={"repeats": "Look at K recorded answers of each case; default: as many as all have."},
    ),
    "row3 drift": Takes(AGAIN | LONGER, PLAIN, told=ITS_OWN | {"prompt"}, words=SAMPLED),
    "row3 flaky": Takes(
        CANDIDATES | PARAMETERS | LONGER | {"mode"},
        PLAIN,
        words={"mode": "live or record: by the live tier's thresholds."},
    ),
    "row3 flaky quarantine": Takes(SUITE),
    "row3 flaky release": Takes(SUITE),
    "row3 cases": Takes(
        CANDIDATES | LONGER, PLAIN, words={"prompt": "Look at this version only; default: all of them."}
    ),
    "row3 history": Takes(SUITE | LONGER, PLAIN, words={"verbose": "All entries, not the latest alone."}),
    "row3 trend": Takes(
        SUITE | {"mode"},
        PLAIN,
        out="folder",
        words={
            "mode": "live or record: the runs of the live tier; default: row3.toml's.",
            "out": "Draw there instead of in charts/.",
            "format": "Form of the list of files; default: table.",
        },
    ),
    "row3 recordings list": Takes(SUITE, PLAIN),
    "row3 recordings import": Takes(
        SUITE | PARAMETERS | {"prompt"},
        words={
            "model": "The model that answered; default: the one that would be asked.",
            "prompt": "The version that was answered; default: the highest.",
        },
    ),
    "row3 recordings prune": Takes(SUITE),
    "row3 recordings verify": Takes(SUITE, PLAIN),
    "row3 recordings drift": Takes(AGAIN | LONGER | {"prompt"}, PLAIN, told=ITS_OWN, words=SAMPLED),
    "row3 report": Takes(
        RUNS | GATES | LONGER,
        REPORTED,
        "own",
        words={
            "out": "Write it there instead of to stdout; with --all a folder.",
            "format": "Form of the report; default: markdown, or html where --out ends in .html.",
        },
    ),
    "row3 comment": Takes(
        RUNS | GATES,
        ("markdown",),
        told=frozenset({"format"}),
        words={
            "mode": "Where answers come from; default: replay.",
            "suite": "Only this suite; default: all of them.",
            "out": "Write the comment there and send nothing.",
        },
    ),
    "row3 schema": Takes(out="folder", words={"out": "Write there instead of into schemas/."}),
}
"""By the words that call a command; groups take nothing of their own but what their subcommands do."""


def check_taken(command: str, common: Common) -> None:
    """Raise `UsageError` for options that do nothing for the command, and for a form that its result has not."""
    takes, unsaid = TAKES[command], Common()
    given = [name for name in Common.__slots__ if getattr(common, name) != getattr(unsaid, name)]
    idle = [
        name
        for name in given
        if name not in takes.all | takes.told | LONGER | {"jobs"} and (name, getattr(common, name)) not in GRANTED
    ]
    if idle:
        verb = "does" if len(idle) == 1 else "do"
        whose = [takes.instead.get(name) or f"{spelled(name)} goes with {takers(name)}" for name in idle]
        what = f"{' and '.join(map(spelled, idle))} {verb} nothing here"
        raise UsageError(
            what, where=command, fix=". ".join(["Leave it out" if len(idle) == 1 else "Leave them out", *whose])
        )
    if takes.forms and "format" not in takes.told:
        common.form(*takes.forms)


def takers(name: str) -> str:
    """The commands that take an option, as a list in words."""
    found = [command for command, takes in TAKES.items() if name in takes.all]
    others = [command for command in TAKES if command not in found]
    return _listed(found) if len(found) <= len(others) else f"all commands but {_listed(others)}"


def _listed(commands: list[str]) -> str:
    *first, last = [f"`{command if command == 'row3' else command.removeprefix('row3 ')}`" for command in commands]
    return f"{', '.join(first)} and {last}" if first else last


def spelled(name: str) -> str:
    """An option as it is typed, by the name of its field."""
    return "-C" if name == "directory" else f"--{name.replace('_', '-')}"
