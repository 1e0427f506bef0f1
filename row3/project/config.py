"""`row3.toml`: every key has a default; an unknown key is an error that suggests the closest known one."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import asdict, replace

from row3.domain.calls import Seconds, Word
from row3.domain.embeddings import LOCAL, LOCAL_MODEL, THRESHOLD
from row3.domain.requests import MOST_REPEATS
from row3.domain.structs import worded
from row3.errors import InvalidFile
from row3.gate.policy import PolicyName
from row3.project.documents import refuse_numbers, validate
from row3.project.integration_config import LangFuseConfig, MonitorConfig
from row3.project.system_config import CommandConfig, Cost, McpConfig, PythonConfig
from row3.project.tree import Tree, read_text

Fraction = Annotated[float, Meta(ge=0, le=1)]
Portion = Annotated[float, Meta(gt=0, le=1)]
Points = Annotated[float, Meta(ge=0)]
Percent = Annotated[float, Meta(gt=0, le=100)]
Temperature = Annotated[float, Meta(ge=0, le=2)]
Whole = Annotated[int, Meta(ge=1)]
AtLeastTwo = Annotated[int, Meta(ge=2)]
PerMinute = Annotated[Whole | None, Meta(description="Rate limit per minute; default: none.")]
Mode = Literal["replay", "live", "record", "auto"]
NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
SuiteName = Annotated[str, worded(NAME, "1 to 64 lowercase letters, digits, _ or -, not starting with _ or -")]
Folder = Annotated[
    str,
    worded(f"{NAME}(/{NAME}){{0,4}}", "at most five names of lowercase letters, digits, _ and -, separated by slashes"),
    Meta(description="Folder of its golden cases under golden/; default: the suite's name."),
]
Path = Annotated[str, worded(r"[^.\s][^.]*(\.[^.]+)*", "a path like `results.items`")]
FILE = "row3.toml"
CONFIG_SCHEMA_VERSION = 1


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file; None stands for a missing key."""


class ThresholdConfig(_Section, frozen=True):
    """Limits of a metric's zones, as fractions; missing keys keep their defaults."""

    minimum: Annotated[Fraction | None, Meta(description="Worse than this fails.")] = None
    target: Annotated[Fraction | None, Meta(description="At least this good passes.")] = None
    excellent: Annotated[Fraction | None, Meta(description="At least this good is excellent.")] = None
    blocking: Annotated[bool | None, Meta(description="False: the fail zone only warns.")] = None


class SemanticConfig(_Section, frozen=True):
    """Matching by meaning, with embeddings."""

    model: Annotated[
        str,
        worded(r"[\x21-\x7e]{1,120}", "a model name without spaces"),
        Meta(description="`local`, or a model of an embeddings endpoint."),
    ]
    threshold: Portion = THRESHOLD
    base_url: Annotated[str | None, Meta(description="Address of the endpoint; default: the provider's.")] = None
    key_variable: Annotated[str | None, Meta(description="Name of the environment variable with the key.")] = None

    @property
    def model_name(self) -> str:
        """Return the model's own name, for `local` too."""
        return LOCAL_MODEL if self.model == LOCAL else self.model


class MatchingConfig(_Section, frozen=True):
    """How names are compared."""

    scorer: Literal["exact", "levenshtein", "jaro-winkler", "ratio", "token-sort", "token-set"] = "levenshtein"
    threshold: Portion = 0.85
    semantic: Annotated[SemanticConfig | None, Meta(description="Also match by meaning.")] = None


class PredicatesConfig(_Section, frozen=True):
    """Predicates beyond the defaults."""

    allowed: Annotated[list[str] | None, Meta(description="Predicates an answer may use; [] for any.")] = None
    symmetric: Annotated[list[str], Meta(description="Added to the default symmetric predicates.")] = []
    inverse: Annotated[dict[str, str], Meta(description="Added to the default pairs: predicate = its inverse.")] = {}


class GateConfig(_Section, frozen=True):
    """When a comparison blocks; None means the default of `GatePolicy`."""

    unit: Annotated[Literal["points", "relative"] | None, Meta(description="Default: points.")] = None
    block: Annotated[Points | None, Meta(description="Larger drops can block. Default: 5.")] = None
    investigate: Annotated[Points | None, Meta(description="Drop from which a person should look. Default: 1.")] = None
    metrics: Annotated[
        Annotated[list[str], Meta(min_length=1)] | None,
        Meta(description="Metrics that can block. Default: the headline ones."),
    ] = None
    declines: Annotated[AtLeastTwo | None, Meta(description="Consecutive declines to report. Default: 3.")] = None
    policy: Annotated[
        PolicyName | None,
        Meta(description="Role of noise: `evidence` (default), `fixed`, `paired` (`row3 docs gate`)."),
    ] = None
    inconclusive: Annotated[
        Literal["investigate", "block"] | None,
        Meta(description="Verdict of `paired` if the interval shows neither. Default: investigate."),
    ] = None
    fail: Annotated[str | None, Meta(description="Limits by metric: `overall:5,recall:3`.")] = None
    informational: Annotated[bool | None, Meta(description="Report, but never block.")] = None
    baseline: Annotated[
        Literal["saved", "rolling", "both"] | None,
        Meta(description="`rolling`, `both`: the mean of the latest runs gates as well. Default: saved."),
    ] = None
    window: Annotated[AtLeastTwo | None, Meta(description="Runs in the rolling mean. Default: 5.")] = None
    drop: Annotated[Percent | None, Meta(description="Drop that blocks, in % of the rolling mean. Default: 15.")] = None


class LiveConfig(_Section, frozen=True):
    """Settings of mode `live`, which override the suite's own key by key."""

    thresholds: dict[str, ThresholdConfig] = {}
    gate: GateConfig = GateConfig()


class EndpointConfig(_Section, frozen=True):
    """Connection to a model; the key comes from the environment only."""

    cost: Cost = None
    base_url: str | None = None
    key_variable: Annotated[str | None, Meta(description="Name of the environment variable with the key.")] = None
    allow_http: Annotated[bool | None, Meta(description="Allow plain http to another machine. Default: false.")] = None
    model: str | None = None
    timeout_s: Seconds | None = None
    max_retries: Annotated[int, Meta(ge=0, le=20)] | None = None
    requests_per_minute: PerMinute = None
    tokens_per_minute: PerMinute = None


class ProviderConfig(EndpointConfig, frozen=True, tag_field="type", tag="chat"):
    """A model that answers prompts."""

    preset: Annotated[str, Meta(description="Default: openai.")] = ""
    temperature: Temperature | None = None
    seed: int | None = None
    max_tokens: Whole | None = None


class JudgeConfig(EndpointConfig, frozen=True):
    """The language model that grades answers."""

    preset: Annotated[str | None, Meta(description="Default: [provider]'s.")] = None
    models: Annotated[list[str], Meta(description="Several judges instead of `model`; the majority decides.")] = []
    votes: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_REPEATS)] | None,
        Meta(description="Requests per judge and answer. Default: 1."),
    ] = None
    temperature: Annotated[Temperature | None, Meta(description="Default: 0.")] = None
    min_kappa: Annotated[Fraction | None, Meta(description="Kappa with people needed to block. Default: 0.6.")] = None


class LessonsMcpConfig(_Section, frozen=True):
    """A tool of an MCP server that receives every new lesson."""

    command: Word
    args: list[str] = []
    tool: Word = "remember"
    arguments: Annotated[
        dict[str, Any] | None,
        Meta(description="Placeholders: {id}, {information}, {tags}, {metadata}. Default: the last three."),
    ] = None


class LessonsConfig(_Section, frozen=True):
    """Where lessons from regressions go, apart from .row3/lessons.jsonl."""

    mcp: LessonsMcpConfig | None = None


class PriceConfig(_Section, frozen=True):
    """US dollars per million tokens."""

    input: Points
    output: Points


class ExportConfig(_Section, frozen=True):
    """What `row3 export` sends; addresses and keys come from the environment only."""

    content: Annotated[bool, Meta(description="Send prompts and answers too.")] = False
    allow_http: Annotated[bool, Meta(description="Allow plain http to another machine.")] = False


SuiteProvider = ProviderConfig | McpConfig | CommandConfig | PythonConfig


class ArmConfig(_Section, frozen=True):
    """One of two systems that answer the same cases."""

    pipeline: Annotated[list[str], Meta(description="Prompt names in order; default: the suite's.")] = []
    provider: Annotated[
        SuiteProvider | None, Meta(description="A model instead of the suite's, or a system called before the prompts.")
    ] = None


class SuiteConfig(_Section, frozen=True):
    """Golden cases of one kind, what answers them, and how they are judged."""

    kind: str = "extraction"
    golden: Folder | None = None
    pipeline: Annotated[list[str], Meta(description="Prompt names in order; default: all that fit the kind.")] = []
    provider: Annotated[
        SuiteProvider | None, Meta(description="Overrides [provider] key by key; with a `type`, a system.")
    ] = None
    weights: dict[str, Annotated[float, Meta(ge=-1, le=1)]] = {}
    thresholds: dict[str, ThresholdConfig] = {}
    types: Annotated[list[str] | None, Meta(description="Concept types to ask for; [] for any. Default: none.")] = None
    fields: Annotated[
        dict[str, dict[str, Path]], Meta(description="Fields of the answer: `X = { list = PATH, FIELD = PATH }`.")
    ] = {}
    matching: MatchingConfig = MatchingConfig()
    predicates: PredicatesConfig = PredicatesConfig()
    gate: GateConfig = GateConfig()
    checks: Annotated[list[dict[str, Any]], Meta(description="Kind checks: checks of every case.")] = []
    passes: Annotated[Whole | None, Meta(description="Kind checks: repeats that must pass; default: the mean.")] = None
    judge: Annotated[JudgeConfig, Meta(description="Overrides [judge] key by key.")] = JudgeConfig()
    documents: Annotated[Folder | None, Meta(description="Kind outcome: folder of documents under golden/.")] = None
    arms: Annotated[dict[str, ArmConfig], Meta(description="Kind outcome: what answers as `baseline` and `full`.")] = {}
    standards: Annotated[Literal["row3"] | None, Meta(description="Counts and coverage that lint requires.")] = None
    live: Annotated[LiveConfig, Meta(description="Overrides in mode `live`.")] = LiveConfig()


class Config(_Section, frozen=True):
    """Settings of a row3 project: row3.toml."""

    schema_version: Whole = 1
    suite: Annotated[SuiteName | None, Meta(description="The default suite.")] = None
    mode: Mode = "auto"
    jobs: Annotated[
        Annotated[int, Meta(ge=1, le=1024)] | None, Meta(description="Parallel requests; when scoring, processes.")
    ] = None
    protected_branch: Annotated[
        str | None, Meta(description="Branch the hook compares with; default: origin's head, main or master.")
    ] = None
    provider: ProviderConfig = ProviderConfig()
    judge: JudgeConfig = JudgeConfig()
    lessons: LessonsConfig = LessonsConfig()
    monitor: MonitorConfig = MonitorConfig()
    langfuse: LangFuseConfig = LangFuseConfig()
    prices: dict[str, PriceConfig] = {}
    export: ExportConfig = ExportConfig()
    suites: dict[SuiteName, SuiteConfig] = field(default_factory=dict)


Settings = TypeVar("Settings", GateConfig, ProviderConfig, JudgeConfig)


def overridden(general: Settings, own: Settings) -> Settings:
    """Return the general settings, overridden by those that `own` sets."""
    defaults = asdict(type(own)())
    return replace(general, **{key: value for key, value in asdict(own).items() if value != defaults[key]})


def read_config(tree: Tree) -> Config:
    """Return the project's configuration, or the defaults if there is no file. Raises `InvalidFile`."""
    if not tree.exists(FILE):
        return Config()
    where, text = tree.place(FILE), read_text(tree, FILE)
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidFile(f"not TOML: {why}", where=where, fix="Correct the file") from None
    version = value.get("schema_version", 1)
    if isinstance(version, int) and version > CONFIG_SCHEMA_VERSION:
        what = f"schema_version {version} is newer than this row3 knows ({CONFIG_SCHEMA_VERSION})"
        raise InvalidFile(what, where=where, fix="Upgrade row3")
    refuse_numbers(value, where=where)
    return validate(Config, _with_types(value), where=where)


def _with_types(value: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with `type = "chat"` filled in for each suite's and arm's provider that has none."""
    suites = value.get("suites")
    for suite in suites.values() if isinstance(suites, dict) else ():
        arms = suite.get("arms") if isinstance(suite, dict) else None
        for each in (suite, *(arms.values() if isinstance(arms, dict) else ())):
            if isinstance(each, dict) and isinstance(each.get("provider"), dict):
                each["provider"].setdefault("type", "chat")
    return value
