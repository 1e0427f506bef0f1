"""Settings of the integrations in `row3.toml`; keys and tokens come from environment variables only."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from row3.domain.structs import worded


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class AlertConfig(_Section, frozen=True):
    """When one condition raises an alert."""

    threshold: Annotated[float | None, Meta(description="Default: the standards'.")] = None
    window_minutes: Annotated[int, Meta(ge=1, le=10_080, description="Length of a window.")] = 60
    min_records: Annotated[
        int, Meta(ge=1, description="Records a window needs; smaller windows are joined with the next.")
    ] = 20


class AlertsConfig(_Section, frozen=True):
    """When production raises an alert, and where it is sent."""

    webhook_variable: Annotated[
        str | None, Meta(description="Name of the environment variable with the URL that `--notify` posts to.")
    ] = None
    allow_http: Annotated[bool, Meta(description="Allow plain http to another machine.")] = False
    confidence: AlertConfig = AlertConfig()
    hallucination: AlertConfig = AlertConfig()
    latency: AlertConfig = AlertConfig()
    cost: AlertConfig = AlertConfig()
    concepts: AlertConfig = AlertConfig()
    errors: AlertConfig = AlertConfig()


class MonitorConfig(_Section, frozen=True):
    """Where production records are stored, and how much of them."""

    store: Annotated[
        str,
        worded(r"[a-z0-9][a-z0-9_-]{0,63}\.duckdb", "a name like `monitor.duckdb`"),
        Meta(description="DuckDB file in .row3/."),
    ] = "monitor.duckdb"
    url_variable: Annotated[
        str | None,
        Meta(description="Name of the environment variable with a postgresql:// URL; records then live there."),
    ] = None
    sample: Annotated[float, Meta(ge=0, le=1, description="Share of records to measure and export.")] = 0.05
    keep: Annotated[
        Literal["sample", "all"],
        Meta(description="Records kept whole: the sample, errors and records rated before import; or all."),
    ] = "sample"
    alerts: AlertsConfig = AlertsConfig()


class LangFuseConfig(_Section, frozen=True):
    """Address of LangFuse, and the dataset of each suite."""

    host: Annotated[
        str | None, Meta(description="LANGFUSE_HOST overrides it; default: https://cloud.langfuse.com.")
    ] = None
    allow_http: Annotated[bool | None, Meta(description="Allow plain http to another machine. Default: false.")] = None
    datasets: Annotated[dict[str, str], Meta(description="Dataset by suite; default: the suite's name.")] = field(
        default_factory=dict
    )
