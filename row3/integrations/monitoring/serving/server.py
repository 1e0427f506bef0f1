"""`row3 monitor serve`: the dashboard on a port, until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Mapping
from functools import partial
from types import FrameType

from row3.errors import EnvironmentFault, UsageError
from row3.integrations.monitoring.storage import Store, open_store, require
from row3.project.integration_config import AlertsConfig
from row3.project.project import Project
from row3.providers.base import is_exposed

VARIABLE = "ROW3_MONITOR_TOKEN"
MIN_TOKEN = 16
WHERE = "row3 monitor serve"


def serve(project: Project, environ: Mapping[str, str], host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve the dashboard until Ctrl-C or SIGTERM; `port` 0 takes a free one.

    Raises `UsageError` without a token for a host that others can reach, `EnvironmentFault` for a port in use, and
    `MissingExtra`.
    """
    for module in ("starlette", "uvicorn"):
        require(module, "monitor")
    token, shown = environ.get(VARIABLE, "").strip(), f"[{host}]" if ":" in host else host
    if len(token) < MIN_TOKEN and (token or is_exposed(f"http://{shown}")):
        what = f"${VARIABLE} has fewer" if token else f"other machines can reach {host}, but ${VARIABLE} has fewer"
        fix = "Set a random secret, for example from `openssl rand -hex 16`"
        raise UsageError(f"{what} than {MIN_TOKEN} characters", where=WHERE, fix=fix)
    store, settings = open_store(project, environ), project.config.monitor.alerts
    with _listening(host, port) as listening:
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        tell(f"dashboard: {address}{f'?token=${VARIABLE}' if token else ''} (Ctrl-C ends it)")
        asyncio.run(_run(store, settings, token, listening))


async def _run(store: Store, settings: AlertsConfig, token: str, listening: socket.socket) -> None:
    import uvicorn

    from row3.integrations.monitoring.serving.app import Feed, application, read

    feed, loop = Feed(partial(read, store, settings)), asyncio.get_running_loop()

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Also end the streams, which would keep the server open, and do not raise the signal again."""
            self.force_exit, self.should_exit = self.should_exit, True
            loop.call_soon_threadsafe(feed.close)

    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    app = application(feed, token)
    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False, limit_concurrency=1000)
    config.timeout_graceful_shutdown = 3
    await Server(config).serve(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises `EnvironmentFault`."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        used = error.errno == errno.EADDRINUSE
        what = f"port {port} is in use" if used else f"cannot listen on {host}, port {port} ({error.strerror})"
        raise EnvironmentFault(what, where=WHERE, fix="Choose another with --port" if used else "") from None
