"""Settings of the integrations in `row3.toml`; their keys and tokens come from environment variables only."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from row3.domain.structs import worded


class _Integration(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class AlertConfig(_Integration, frozen=True):
    """When one condition raises an alert."""

    threshold: Annotated[float | None, Meta(description="Default: that of the standards.")] = None
    window_minutes: Annotated[int, Meta(ge=1, le=10_080, description="Length of a window.")] = 60
    min_records: Annotated[
        int, Meta(ge=1, description="Records that a window needs; poorer ones are joined with those that follow.")
    ] = 20


class AlertsConfig(_Integration, frozen=True):
    """When production raises an alert, and who is told."""

    webhook_variable: Annotated[
        str | None, Meta(description="Name of the environment variable with the URL that `--notify` posts to.")
    ] = None
    allow_http: Annotated[bool, Meta(description="Allow a webhook of plain http on another machine.")] = False
    confidence: AlertConfig = AlertConfig()
    hallucination: AlertConfig = AlertConfig()
    latency: AlertConfig = AlertConfig()
    cost: AlertConfig = AlertConfig()
    concepts: AlertConfig = AlertConfig()
    errors: AlertConfig = AlertConfig()


class MonitorConfig(_Integration, frozen=True):
    """Where records of production are kept, and what of them."""

    store: Annotated[
        str,
        worded(r"[a-z0-9][a-z0-9_-]{0,63}\.duckdb", "a name like `monitor.duckdb`"),
        Meta(description="DuckDB file in .row3/."),
    ] = "monitor.duckdb"
    url_variable: Annotated[
        str | None,
        Meta(description="Name of the environment variable with a postgresql:// URL: records live there instead."),
    ] = None
    sample: Annotated[float, Meta(ge=0, le=1, description="Part of the records that is measured and exported.")] = 0.05
    keep: Annotated[
        Literal["sample", "all"],
        Meta(description="Records kept whole: the sample, errors and those rated before they came, or all."),
    ] = "sample"
    alerts: AlertsConfig = AlertsConfig()


class LangFuseConfig(_Integration, frozen=True):
    """Where LangFuse is and which datasets are whose."""

    host: Annotated[
        str | None, Meta(description="Default: LANGFUSE_HOST, which wins, else https://cloud.langfuse.com.")
    ] = None
    allow_http: Annotated[
        bool | None, Meta(description="Allow a `host` of plain http to another machine. Default: false.")
    ] = None
    datasets: Annotated[dict[str, str], Meta(description="Dataset by suite; default: the suite's name.")] = field(
        default_factory=dict
    )
