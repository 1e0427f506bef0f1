"""Alerts as a document, as the body of an issue, and for a webhook that gets each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from row3.domain.counts import count
from row3.domain.models import CamelModel, Reply
from row3.errors import InvalidFile, UsageError
from row3.integrations.http import Service, address
from row3.integrations.monitoring.alerts import Alert
from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.records import moment
from row3.integrations.monitoring.views import value_text
from row3.project.files import write_atomic
from row3.project.local_state import in_local, local_folder
from row3.project.project import Project
from row3.project.transaction import locked
from row3.reports.document import Block, Document, Items, Note, Span, Table, Task, Text, Title

POSTED = "monitor/told.json"
"""File in `.row3/` for the alerts that the webhook has received."""


def alerts_document(found: Sequence[Alert]) -> Document:
    """Return the alerts as a table."""
    if not found:
        return Document([Note(["Production · no alerts"])])
    critical = sum(alert.condition.severity == "critical" for alert in found)
    head = f"Production · {count(len(found), 'alert')}, {critical} critical"
    return Document([Note([head]), _table(found)])


def alerts_issue(found: Sequence[Alert]) -> Document:
    """Return the body of an issue: the alerts, and what to do."""
    if not found:
        return alerts_document(found)
    actions = dict.fromkeys(f"{FIGURE[alert.condition.figure].name}: {alert.condition.action}" for alert in found)
    blocks: list[Block] = [Title("Alerts in production", 2), _table(found), Title("To do")]
    return Document([*blocks, Items([Task(action, done=False) for action in actions])])


def _table(found: Sequence[Alert]) -> Table:
    rows: list[list[Text]] = []
    for alert in found:
        condition, figure = alert.condition, FIGURE[alert.condition.figure]
        severity = Span(condition.severity, "bad" if condition.severity == "critical" else "warning")
        sign = "below" if condition.below else "above"
        value = f"{value_text(figure, alert.value)}, {sign} {value_text(figure, alert.threshold)}"
        end = "ongoing" if alert.to_ms is None else moment(alert.to_ms)
        rows.append([figure.name, severity, value, moment(alert.from_ms), end, condition.action])
    return Table(("figure", "", "value", "from", "to", "action"), rows, "llllll")


class _Posted(Reply):
    condition: str
    from_ms: int
    to_ms: int | None


class _File(CamelModel):
    schema_version: int
    told: list[_Posted]


def notify(project: Project, found: Sequence[Alert], environ: Mapping[str, str]) -> int:
    """Post the alerts that began or ended since the last post; return their number.

    The body is `{"began": [alert, …], "over": [alert, …]}`. Raises `UsageError` without a webhook, `InvalidFile` for a
    damaged list of posted alerts, and `Undelivered`, after which the next call posts the same again.
    """
    settings = project.config.monitor.alerts
    if settings.webhook_variable is None:
        where = "row3.toml field monitor.alerts.webhook_variable"
        raise UsageError("no webhook is set", where=where, fix="Name the environment variable that holds its URL")
    url = address(settings.webhook_variable, allow_http=settings.allow_http, table="monitor.alerts", query=True)
    path = in_local(local_folder(project.local), POSTED)
    lock = locked(project.root, "monitor.alerts", timeout_s=60.0)
    if lock is None:
        raise UsageError("another row3 is posting alerts", where=f".row3/{POSTED}", fix="Run it again later")
    with lock:
        posted = _read(project) if path.exists() else []
        began = [alert for alert in found if not any(_is_same(each, alert) for each in posted)]
        over = [
            alert
            for alert in found
            if alert.to_ms is not None and any(_is_same(each, alert) and each.to_ms is None for each in posted)
        ]
        if not began and not over:
            return 0
        body = {"began": [alert.plain() for alert in began], "over": [alert.plain() for alert in over]}
        Service(url, {}, key_variable=settings.webhook_variable).send("POST", "", body)
        kept = [each for each in posted if not any(_is_same(each, alert) for alert in found)]
        kept += [_Posted(condition=alert.condition.figure, from_ms=alert.from_ms, to_ms=alert.to_ms) for alert in found]
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, _File(schema_version=1, told=kept).model_dump_json(), where=f".row3/{POSTED}")
    return len(began) + len(over)


def _read(project: Project) -> list[_Posted]:
    try:
        return _File.model_validate_json(in_local(project.local, POSTED).read_bytes()).told
    except (ValidationError, OSError):
        fix = "Delete it; all alerts will be posted again"
        raise InvalidFile("the list of posted alerts is damaged", where=f".row3/{POSTED}", fix=fix) from None


def _is_same(posted: _Posted, alert: Alert) -> bool:
    """Return whether a posted alert is this one: same condition, overlapping time."""
    return (
        posted.condition == alert.condition.figure
        and (alert.to_ms is None or posted.from_ms < alert.to_ms)
        and (posted.to_ms is None or alert.from_ms < posted.to_ms)
    )
