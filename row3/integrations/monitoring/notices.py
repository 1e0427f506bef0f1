"""Who is told of alerts: a document, the body of an issue, and a webhook that hears of each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from row3.domain.counts import count
from row3.errors import InvalidFile, UsageError
from row3.integrations.http import Service, address
from row3.integrations.monitoring.alerts import Alert
from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.records import moment
from row3.integrations.monitoring.views import value_text
from row3.reports.document import Block, Document, Items, Note, Span, Table, Task, Text, Title
from row3.store.files import write_atomic
from row3.store.project import Project
from row3.store.transaction import in_local, local_folder, locked

TOLD = "monitor/told.json"
"""Where in `.row3/` the alerts are kept of which the webhook has heard."""
LASTING = "goes on"


def alerts_document(found: Sequence[Alert]) -> Document:
    """Return the alerts as a table."""
    if not found:
        return Document([Note(["Production · no alert"])])
    critical = sum(alert.condition.severity == "critical" for alert in found)
    head = f"Production · {count(len(found), 'alert')}, {critical} critical"
    return Document([Note([head]), _table(found)])


def alerts_issue(found: Sequence[Alert]) -> Document:
    """Return the body of an issue: what was seen, and what to do."""
    if not found:
        return alerts_document(found)
    actions = dict.fromkeys(f"{FIGURE[alert.condition.figure].name}: {alert.condition.action}" for alert in found)
    blocks: list[Block] = [Title("Alerts in production", 2), _table(found), Title("To do")]
    return Document([*blocks, Items([Task(action, done=False) for action in actions])])


def _table(found: Sequence[Alert]) -> Table:
    rows: list[list[Text]] = []
    for alert in found:
        condition, figure = alert.condition, FIGURE[alert.condition.figure]
        sign = "below" if condition.below else "above"
        rows.append(
            [
                figure.name,
                Span(condition.severity, "bad" if condition.severity == "critical" else "warning"),
                f"{value_text(figure, alert.value)}, {sign} {value_text(figure, alert.threshold)}",
                moment(alert.from_ms),
                LASTING if alert.to_ms is None else moment(alert.to_ms),
                condition.action,
            ]
        )
    return Table(("figure", "", "value", "from", "to", "action"), rows, "llllll")


class _Told(Struct):
    condition: str
    from_ms: int
    to_ms: int | None


class _File(Struct, rename="camel"):
    schema_version: int
    told: list[_Told]


def notify(project: Project, found: Sequence[Alert], environ: Mapping[str, str]) -> int:
    """Post to the webhook what it has not heard: alerts that began, and those that are over; return how many.

    The body is `{"began": [alert, …], "over": [alert, …]}`. Raises `UsageError` without a webhook, `Undelivered`,
    after which all is posted again the next time, and `InvalidFile` for a broken list of what was posted.
    """
    settings = project.config.monitor.alerts
    if settings.webhook_variable is None:
        where = "row3.toml field monitor.alerts.webhook_variable"
        raise UsageError("there is no webhook", where=where, fix="Name the environment variable with its URL")
    url = address(settings.webhook_variable, allow_http=settings.allow_http, table="monitor.alerts", query=True)
    path = in_local(local_folder(project.local), TOLD)
    lock = locked(project.local, "monitor.alerts", timeout_s=60.0)
    if lock is None:
        raise UsageError("another row3 is posting alerts", where=f".row3/{TOLD}", fix="Run it again later")
    with lock:
        told = _read(project) if path.exists() else []
        began = [alert for alert in found if not any(_is_same(each, alert) for each in told)]
        over = [
            alert
            for alert in found
            if alert.to_ms is not None and any(_is_same(each, alert) and each.to_ms is None for each in told)
        ]
        if not began and not over:
            return 0
        body: dict[str, Any] = {
            "began": [alert.plain() for alert in began],
            "over": [alert.plain() for alert in over],
        }
        Service(url, {}, key_variable=settings.webhook_variable).send("POST", "", body)
        kept = [each for each in told if not any(_is_same(each, alert) for alert in found)]
        kept += [_Told(alert.condition.figure, alert.from_ms, alert.to_ms) for alert in found]
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, msgspec.json.encode(_File(1, kept)), where=f".row3/{TOLD}")
    return len(began) + len(over)


def _read(project: Project) -> list[_Told]:
    try:
        return msgspec.json.decode(in_local(project.local, TOLD).read_bytes(), type=_File).told
    except (msgspec.DecodeError, OSError):
        fix = "Delete it: the webhook will hear of all alerts again"
        raise InvalidFile("the list of posted alerts is broken", where=f".row3/{TOLD}", fix=fix) from None


def _is_same(told: _Told, alert: Alert) -> bool:
    """Return whether an alert was posted before: of the same condition, at an overlapping time."""
    begins_before_end = alert.to_ms is None or told.from_ms < alert.to_ms
    return (
        told.condition == alert.condition.figure
        and begins_before_end
        and (told.to_ms is None or alert.from_ms < told.to_ms)
    )
