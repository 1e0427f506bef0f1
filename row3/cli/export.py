"""`row3 export`: a finished run, sent to where others look at runs."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.argument("run", metavar="[RUN]", default="")
@options.option("--to", required=True, metavar="SERVICE", help="otel, mlflow or langfuse.")()
@options.option("--format", type=click.Choice(["table", "json"]), help="Format of the result; default: table.")()
def command(run: str, to: str, common: Common) -> int:
    """Send a run to OpenTelemetry, MLflow or LangFuse, with everything that could not be sent before.

    RUN is the id of a saved run or its beginning; default: the latest. Addresses and keys come from the environment
    (`row3 docs export`). Undelivered runs wait in .row3/outbox: exit 3, and the next export sends it.
    """
    from row3.errors import Undelivered
    from row3.integrations.exporting import export

    done = export(common.project(), to, run)
    if common.as_json:
        common.show_json({"schemaVersion": 1, "to": to, "sent": done.sent, "waiting": done.waiting})
    else:
        lines = [f"sent to {to}: {each}" for each in done.sent] + [f"waits for {to}: {each}" for each in done.waiting]
        common.show("\n".join(lines))
    if done.error is not None:
        kept = f"Kept in .row3/outbox/{to}; `row3 export --to {to}` sends it"
        fix = f"{done.error.fix}. {kept}" if done.error.fix else kept
        raise Undelivered(done.error.what, where=done.error.where, fix=fix)
    return 0
