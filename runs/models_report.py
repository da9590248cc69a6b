"""What `models check` prints: a table of the models, a line for each finding, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from agents.addresses import public_address
from agents.rules_backend import LABEL
from runs.json_lines import pretty_json
from state.config import ModelConfig
from state.model_base import FORMAT_VERSION
from state.trajectory import Usage


class Level(StrEnum):
    """How grave a finding is."""

    ERROR = "error"
    """The model cannot be used."""
    CHANGE = "change"
    """The model can be used after the config is changed as the remedy says."""
    NOTE = "note"
    """Worth knowing; the model can be used as it is configured."""


@dataclass(frozen=True)
class Finding:
    """One thing that the check found out about a model."""

    level: Level
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.what.rstrip('.')}. {self.remedy}" if self.remedy else self.what


@dataclass(frozen=True)
class CheckedModel:
    """One entry of `models` and what its server said."""

    name: str
    roles: tuple[str, ...]
    """The roles that it plays."""
    model: ModelConfig
    key_variable: str | None = None
    """The variable that holds the key, if it is set."""
    latency_ms: int | None = None
    """Milliseconds of the one call; `None`: no reply came."""
    mode_found: str | None = None
    """`json_schema` or `prompt`; `None`: not known, or not asked since the config says `prompt`."""
    reports_tokens: bool | None = None
    """Whether the server counts tokens; `None`: no reply came."""
    usage: Usage | None = None
    """The tokens of the one call, where the server counts them."""
    usd: float | None = None
    """US dollars that the check cost; `None`: the model has no price, or was not asked."""
    is_usd_exact: bool = True
    """Whether the cost is that of counted tokens, not the most that it can be."""
    findings: tuple[Finding, ...] = ()

    @property
    def needs_server(self) -> bool:
        """Whether there is somebody to ask."""
        return self.model.provider != LABEL

    @property
    def verdict(self) -> str:
        """Whether the model can be used as it is configured."""
        levels = {finding.level for finding in self.findings}
        return "cannot be used" if Level.ERROR in levels else "change the config" if Level.CHANGE in levels else "ok"

    @property
    def host(self) -> str | None:
        """Host and port of the server, without user, password, path and query."""
        return urlsplit(public_address(self.model.base_url)).netloc if self.needs_server else None


@dataclass(frozen=True)
class ModelsReport:
    """All models that play a role."""

    models: tuple[CheckedModel, ...]

    @property
    def exit_code(self) -> int:
        """1 if a model cannot be used as it is configured, else 0."""
        return 0 if all(model.verdict == "ok" for model in self.models) else 1

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        rows = [_HEAD, *map(_cells, self.models)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for level in Level:
            for model in self.models:
                for finding in model.findings:
                    if finding.level is level:
                        yield f"{level.value:<8}models.{model.name}: {finding}"
        if priced := [model for model in self.models if model.usd is not None]:
            most = "" if all(model.is_usd_exact for model in priced) else "at most "
            yield f"this check cost {most}{sum(model.usd or 0.0 for model in priced):.6f} USD"

    def as_json(self) -> bytes:
        """The report for a machine."""
        return pretty_json({"format": FORMAT_VERSION, "usable": self.exit_code == 0, "models": [_as_data(model) for model in self.models]})


_HEAD = (
    "model", "name at the server", "host", "key", "ms", "structured output", "tokens", "USD per million (in/cached/out)", "token limit", "",
)  # fmt: skip


def _cells(checked: CheckedModel) -> tuple[str, ...]:
    if not checked.needs_server:
        return (checked.name, LABEL, "needs no server", *("-",) * 6, checked.verdict)
    model = checked.model
    return (
        checked.name,
        model.model or "",
        checked.host or "",
        "-" if model.api_key_env is None else f"{checked.key_variable}: set" if checked.key_variable else "not set",
        "-" if checked.latency_ms is None else str(checked.latency_ms),
        _mode(checked),
        {None: "-", True: "reported", False: "not reported"}[checked.reports_tokens],
        _price(model),
        "none" if model.token_limit is None else str(model.token_limit),
        checked.verdict,
    )


def _mode(checked: CheckedModel) -> str:
    configured = checked.model.structured_output
    if configured == "prompt":
        return "prompt"
    found = checked.mode_found or "unknown"
    return found if found == configured else f"{found} (configured {configured})"


def _price(model: ModelConfig) -> str:
    if model.price is None:
        return "no price"
    cached = model.price.cached_input
    return f"{model.price.input:g}/{'-' if cached is None else f'{cached:g}'}/{model.price.output:g}"


def _as_data(checked: CheckedModel) -> dict[str, Any]:
    model = checked.model
    return {
        "name": checked.name,
        "provider": model.provider,
        "roles": checked.roles,
        "verdict": checked.verdict,
        "model": model.model,
        "host": checked.host,
        "needs_key": model.api_key_env is not None,
        "key_variable": checked.key_variable,
        "latency_ms": checked.latency_ms,
        "structured_output": {"configured": model.structured_output, "found": checked.mode_found} if checked.needs_server else None,
        "reports_tokens": checked.reports_tokens,
        "usage": None if checked.usage is None else checked.usage.model_dump(),
        "price": None if model.price is None else model.price.model_dump(),
        "token_limit": model.token_limit,
        "usd": checked.usd,
        "usd_is_exact": checked.is_usd_exact,
        "findings": [{"level": finding.level.value, "what": finding.what, "remedy": finding.remedy} for finding in checked.findings],
    }
