"""Settings of the integrations in `row3.toml`; keys and tokens come from environment variables only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from row3.domain.models import Model, Worded


class AlertConfig(Model):
    """When one condition raises an alert."""

    threshold: float | None = None
    """Default: the standards'."""
    window_minutes: Annotated[int, Field(ge=1, le=10_080)] = 60
    """Length of a window."""
    min_records: Annotated[int, Field(ge=1)] = 20
    """Records a window needs; smaller windows are joined with the next."""


class ShareAlertConfig(AlertConfig):
    """When one condition on a fraction of 1 raises an alert."""

    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    """Default: the standards'."""


class AlertsConfig(Model):
    """When production raises an alert, and where it is sent."""

    webhook_variable: str | None = None
    """Name of the environment variable with the URL that `--notify` posts to."""
    allow_http: bool = False
    """Allow plain http to another machine."""
    confidence: ShareAlertConfig = ShareAlertConfig.model_construct()
    hallucination: ShareAlertConfig = ShareAlertConfig.model_construct()
    latency: AlertConfig = AlertConfig.model_construct()
    cost: AlertConfig = AlertConfig.model_construct()
    concepts: AlertConfig = AlertConfig.model_construct()
    errors: ShareAlertConfig = ShareAlertConfig.model_construct()


class MonitorConfig(Model):
    """Where production records are stored, and how much of them."""

    store: Annotated[str, Worded(r"[a-z0-9][a-z0-9_-]{0,63}\.duckdb", "a name like `monitor.duckdb`")] = (
        "monitor.duckdb"
    )
    """DuckDB file in .row3/."""
    url_variable: str | None = None
    """Name of the environment variable with a postgresql:// URL; records then live there."""
    sample: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of records to measure and export."""
    keep: Literal["sample", "all"] = "sample"
    """Records kept whole: the sample, errors and records rated before import; or all."""
    alerts: AlertsConfig = AlertsConfig.model_construct()


class LangFuseConfig(Model):
    """Address of LangFuse, and the dataset of each suite."""

    host: str | None = None
    """LANGFUSE_HOST overrides it; default: https://cloud.langfuse.com."""
    allow_http: bool | None = None
    """Allow plain http to another machine. Default: false."""
    datasets: dict[str, str] = {}
    """Dataset by suite; default: the suite's name."""
