"""`row3.toml`: every key has a default; an unknown key is an error that suggests the closest known one."""

from __future__ import annotations

import re
import tomllib
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Discriminator, Field, Tag

from row3.domain.asks import LOCAL, LOCAL_MODEL, THRESHOLD
from row3.domain.calls import Seconds
from row3.domain.endpoints import PRESETS
from row3.domain.models import Model, Text, Worded
from row3.domain.requests import MOST_CONFIRMING, MOST_REPEATS
from row3.domain.secrets import holds_key
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile
from row3.gate.policy import PolicyName
from row3.kinds import DEFAULT
from row3.project.documents import refuse_numbers, validate
from row3.project.integration_config import LangFuseConfig, MonitorConfig
from row3.project.model_parameters import ModelParameters, Temperature
from row3.project.places import FILE
from row3.project.system_config import Cost, SystemConfig
from row3.project.tree import Tree, read_text

Fraction = Annotated[float, Field(ge=0, le=1)]
Portion = Annotated[float, Field(gt=0, le=1)]
Points = Annotated[float, Field(ge=0)]
Percent = Annotated[float, Field(gt=0, le=100)]
Whole = Annotated[int, Field(ge=1)]
AtLeastTwo = Annotated[int, Field(ge=2)]
PerMinute = Annotated[Whole | None, Field(description="Rate limit per minute; default: none.")]
Mode = Literal["replay", "live", "record", "auto"]
NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
SuiteName = Annotated[str, Worded(NAME, "1 to 64 lowercase letters, digits, _ or -, not starting with _ or -")]
Folder = Annotated[
    str,
    Worded(f"{NAME}(/{NAME}){{0,4}}", "at most five names of lowercase letters, digits, _ and -, separated by slashes"),
    Field(description="Folder of its golden cases under golden/; default: the suite's name."),
]
Path = Annotated[str, Worded(r"[^.\s][^.]*(\.[^.]+)*", "a path like `results.items`")]


def _known(preset: str) -> str:
    """Return a preset. Raises `ValueError`, which does not quote it: it may be a key pasted into the wrong field."""
    if preset and preset not in PRESETS:
        hint = did_you_mean(preset.lower(), PRESETS)
        raise ValueError(f"is unknown. {hint} Known: {', '.join(PRESETS)}".replace("  ", " "))
    return preset


Preset = Annotated[str, AfterValidator(_known)]
CONFIG_SCHEMA_VERSION = 1


class ThresholdConfig(Model):
    """Limits of a metric's zones, as fractions; missing keys keep their defaults."""

    minimum: Fraction | None = None
    """Worse than this fails."""
    target: Fraction | None = None
    """At least this good passes."""
    excellent: Fraction | None = None
    """At least this good is excellent."""
    blocking: bool | None = None
    """False: the fail zone only warns."""


class SemanticConfig(Model):
    """Matching by meaning, with embeddings."""

    model: Annotated[str, Worded(r"[\x21-\x7e]{1,120}", "a model name without spaces")]
    """`local`, or a model of an embeddings endpoint."""
    threshold: Portion = THRESHOLD
    base_url: str | None = None
    """Address of the endpoint; default: the provider's."""
    key_variable: str | None = None
    """Name of the environment variable with the key."""

    @property
    def model_name(self) -> str:
        """Return the model's own name, for `local` too."""
        return LOCAL_MODEL if self.model == LOCAL else self.model


class MatchingConfig(Model):
    """How names are compared."""

    scorer: Literal["exact", "levenshtein", "jaro-winkler", "ratio", "token-sort", "token-set"] = "levenshtein"
    threshold: Portion = 0.85
    rules: Literal["all", "plain"] = "all"
    """`plain`: equal to label or alias, or as similar as the threshold, and nothing else."""
    semantic: SemanticConfig | None = None
    """Also match by meaning."""


class PredicatesConfig(Model):
    """Predicates beyond the defaults."""

    allowed: list[str] | None = None
    """Predicates an answer may use; [] for any."""
    symmetric: list[str] = []
    """Added to the default symmetric predicates."""
    inverse: dict[str, str] = {}
    """Added to the default pairs: predicate = its inverse."""


class GateConfig(Model):
    """When a comparison blocks; None means the default of `GatePolicy`."""

    unit: Literal["points", "relative"] | None = None
    """Default: points."""
    block: Points | None = None
    """Larger drops can block. Default: 5."""
    investigate: Points | None = None
    """Drop from which a person should look. Default: 1."""
    metrics: Annotated[list[str], Field(min_length=1)] | None = None
    """Metrics that can block. Default: the headline ones."""
    declines: AtLeastTwo | None = None
    """Consecutive declines to report. Default: 3."""
    policy: PolicyName | None = None
    """Role of noise: `evidence` (default), `fixed`, `paired` (`row3 docs gate`)."""
    inconclusive: Literal["investigate", "block"] | None = None
    """Verdict of `paired` if the interval shows neither. Default: investigate."""
    confirm: Annotated[int, Field(ge=0, le=MOST_CONFIRMING)] | None = None
    """Most further answers a case and side that confirm a block within noise; 0: none. Default: 4."""
    fail: str | None = None
    """Limits by metric: `overall:5,recall:3`."""
    informational: bool | None = None
    """Report, but never block."""
    baseline: Literal["saved", "rolling", "both"] | None = None
    """`rolling`, `both`: the mean of the latest runs gates as well. Default: saved."""
    window: AtLeastTwo | None = None
    """Runs in the rolling mean. Default: 5."""
    drop: Percent | None = None
    """Drop that blocks, in % of the rolling mean. Default: 15, of judged checks 20, of heuristic ones 10."""


class LiveConfig(Model):
    """Settings of mode `live`, which override the suite's own key by key."""

    thresholds: dict[str, ThresholdConfig] = {}
    gate: GateConfig = GateConfig.model_construct()


class SecretConfig(Model):
    """A value that an environment variable has."""

    env: Annotated[str, Worded(r"[A-Za-z_][A-Za-z0-9_]{0,63}", "the name of an environment variable")]


def _no_secret(headers: dict[str, str | SecretConfig]) -> dict[str, str | SecretConfig]:
    """Return the headers. Raises `ValueError`, which does not quote a value: it may be a secret."""
    for name, value in headers.items():
        if isinstance(value, str) and (SECRET_NAME.search(name) or SCHEME.match(value) or holds_key(value)):
            raise ValueError(f'holds a secret in `{name}`: set a variable to it, and write {name} = {{ env = "NAME" }}')
    return headers


HeaderName = Annotated[str, Worded(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}", "the name of a header")]
HeaderValue = Annotated[str, Worded(r"[\x20-\x7e]{1,1000}", "printable ASCII")] | SecretConfig
SCHEME = re.compile(r"(?i)(?:bearer|basic) ")
SECRET_NAME = re.compile(
    r"(?i)(?<![a-z0-9])(?<!idempotency-)(?<!cache-)(?:(?:api|access)?key|[a-z]*token|[a-z]*secret|pass(?:word|phrase|wd)"
    r"|credentials?|auth(?:entication|orization)?|cookie|signature)(?![a-z0-9])"
)


class EndpointConfig(Model):
    """Connection to a model; the key comes from the environment only."""

    batch: bool | None = None
    """Send requests as batches: within a day, at half the price. Default: false."""
    cost: Cost = None
    base_url: str | None = None
    key_variable: str | None = None
    """Name of the environment variable with the key."""
    allow_http: bool | None = None
    """Allow plain http to another machine. Default: false."""
    model: str | None = None
    timeout_s: Seconds | None = None
    max_retries: Annotated[int, Field(ge=0, le=20)] | None = None
    requests_per_minute: PerMinute = None
    tokens_per_minute: PerMinute = None
    headers: Annotated[dict[HeaderName, HeaderValue], AfterValidator(_no_secret)] | None = None
    """Further headers; a secret one as `NAME = { env = "VARIABLE" }`."""


class ProviderConfig(EndpointConfig, ModelParameters):
    """A model that answers prompts."""

    type: Literal["chat"] = "chat"

    preset: Preset = ""
    """Default: openai."""


class JudgeConfig(EndpointConfig):
    """The language model that grades answers."""

    preset: Preset | None = None
    """Default: [provider]'s."""
    models: list[str] = []
    """Several judges instead of `model`; the majority decides."""
    votes: Annotated[int, Field(ge=1, le=MOST_REPEATS)] | None = None
    """Requests per judge and answer. Default: 1."""
    temperature: Temperature | None = None
    """Default: 0."""
    min_kappa: Fraction | None = None
    """Kappa with people needed to block. Default: 0.6."""
    uncalibrated: Literal["investigate", "block"] = "investigate"
    """The worst verdict of its grades without such a calibration."""


class LessonsMcpConfig(Model):
    """A tool of an MCP server that receives every new lesson."""

    command: Text
    args: list[str] = []
    tool: Text = "remember"
    arguments: dict[str, Any] | None = None
    """Placeholders: {id}, {information}, {tags}, {metadata}. Default: the last three."""


class LessonsConfig(Model):
    """Where lessons from regressions go, apart from .row3/lessons.jsonl."""

    mcp: LessonsMcpConfig | None = None


class PriceConfig(Model):
    """US dollars per million tokens."""

    input: Points
    output: Points
    cached: Points | None = None
    """Input that the provider read from its cache. Default: as `input`."""


class ExportConfig(Model):
    """What `row3 export` sends; addresses and keys come from the environment only."""

    content: bool = False
    """Send prompts and answers too."""
    allow_http: bool = False
    """Allow plain http to another machine."""


def _provider_type(value: Any) -> str:
    """Return the `type` of a provider's table; a model needs none."""
    return str(value.get("type", "chat") if isinstance(value, dict) else getattr(value, "type", "chat"))


SuiteProvider = Annotated[Annotated[ProviderConfig, Tag("chat")] | SystemConfig, Discriminator(_provider_type)]


class ArmConfig(Model):
    """One of two systems that answer the same cases."""

    pipeline: list[str] = []
    """Prompt names in order; default: the suite's."""
    provider: SuiteProvider | None = None
    """A model instead of the suite's, or a system called before the prompts."""


class SuiteConfig(Model):
    """Golden cases of one kind, what answers them, and how they are judged."""

    kind: str = DEFAULT
    golden: Folder | None = None
    pipeline: list[str] = []
    """Prompt names in order; default: all that fit the kind."""
    provider: SuiteProvider | None = None
    """Overrides [provider] key by key; with a `type`, a system."""
    weights: dict[str, Annotated[float, Field(ge=-1, le=1)]] = {}
    thresholds: dict[str, ThresholdConfig] = {}
    types: list[str] | None = None
    """Concept types to ask for; [] for any. Default: none."""
    fields: dict[str, dict[str, Path]] = {}
    """Fields of the answer: `X = { list = PATH, FIELD = PATH }`."""
    matching: MatchingConfig = MatchingConfig.model_construct()
    predicates: PredicatesConfig = PredicatesConfig.model_construct()
    gate: GateConfig = GateConfig.model_construct()
    checks: list[dict[str, Any]] = []
    """Kind checks: checks of every case."""
    passes: Whole | None = None
    """Kind checks: repeats that must pass; default: the mean."""
    judge: JudgeConfig = JudgeConfig.model_construct()
    """Overrides [judge] key by key."""
    documents: Folder | None = None
    """Kind outcome: folder of documents under golden/."""
    arms: dict[str, ArmConfig] = {}
    """Kind outcome: what answers as `baseline` and `full`."""
    standards: Literal["row3"] | None = None
    """Counts and coverage that lint requires."""
    live: LiveConfig = LiveConfig.model_construct()
    """Overrides in mode `live`."""


class Config(Model):
    """Settings of a row3 project: row3.toml."""

    schema_version: Whole = 1
    suite: SuiteName | None = None
    """The default suite."""
    mode: Mode = "auto"
    jobs: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Parallel requests; when scoring, processes."""
    protected_branch: str | None = None
    """Branch the hook compares with; default: origin's head, main or master."""
    provider: ProviderConfig = ProviderConfig.model_construct()
    judge: JudgeConfig = JudgeConfig.model_construct()
    lessons: LessonsConfig = LessonsConfig.model_construct()
    monitor: MonitorConfig = MonitorConfig.model_construct()
    langfuse: LangFuseConfig = LangFuseConfig.model_construct()
    prices: dict[str, PriceConfig] = {}
    export: ExportConfig = ExportConfig.model_construct()
    suites: dict[SuiteName, SuiteConfig] = {}


Settings = TypeVar("Settings", GateConfig, ProviderConfig, JudgeConfig)


def overridden(general: Settings, own: Settings) -> Settings:
    """Return the general settings, overridden by those that `own` sets."""
    return general.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})


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
    return validate(Config, value, where=where)
