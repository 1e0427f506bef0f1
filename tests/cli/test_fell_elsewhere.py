"""What fell in a metric that the composite does not weigh is shown case by case, and is what to look into next."""

from __future__ import annotations

from tests.projects import CASES, Box, flawless

OUTPUTS = {case_id: flawless(case) for case_id, case in CASES.items()}
FEWER = {case_id: output | {"relationships": output["relationships"][:1]} for case_id, output in OUTPUTS.items()}
UNQUOTED = {
    case_id: output | {"concepts": [one | {"sourceQuote": "As everybody knows."} for one in output["concepts"]]}
    for case_id, output in OUTPUTS.items()
}


def cases_of(text: str) -> str:
    return " ".join(text.split("\nCases  ")[1].split("\nWhy", maxsplit=1)[0].split())


def test_relationships_that_are_no_longer_found(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", FEWER)
    done = work.row3("--compare", "--against", "main", code=0)
    told = cases_of(done.out)
    assert told.startswith("3 unchanged ▼ ")
    lost = [case_id for case_id, output in OUTPUTS.items() if len(output["relationships"]) > 1]
    assert lost
    for case_id in lost:
        assert f"▼ {case_id} −" in told
    assert "Relationship recall − " in told
    assert "relationship lost: " in told
    named = [line for line in done.out.splitlines() if "Next: row3 investigate" in line]
    assert named[0].split()[-1] in lost
    shown = work.row3("--compare", "--against", "main", "--format", "markdown", code=0).out
    assert all(f"- `{case_id}` Relationship recall −" in shown for case_id in lost)


def test_quotes_that_are_made_up(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", UNQUOTED)
    told = cases_of(work.row3("--compare", "--against", "main", code=0).out)
    assert all(f"▼ {case_id} −100.0 Provenance verified" in told for case_id in CASES)


def test_those_that_are_not_shown_are_counted(work: Box) -> None:
    more = {f"rye-{number}": OUTPUTS["rye"] for number in range(8)}
    for case_id in more:
        work.case(case_id, **CASES["rye"] | {"sourceText": f"{CASES['rye']['sourceText']} {case_id}."})
    work.record("1.1", more)
    work.row3("--baseline", code=0)
    work.prompt("1.2")
    work.record("1.2", dict.fromkeys(more, UNQUOTED["rye"]) | UNQUOTED)
    told = cases_of(work.row3("--compare", code=0).out)
    assert told.count("▼ ") == 8
    assert "and 3 more that fell there (-v shows them)" in told
    assert cases_of(work.row3("--compare", "-v", code=0).out).count("▼ ") == 11


def test_only_where_a_reason_names_the_metric(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", OUTPUTS)
    assert cases_of(work.row3("--compare", "--against", "main", code=0).out).startswith("3 unchanged 3 requests")
