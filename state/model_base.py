"""The base of every contract model: frozen, and closed to unknown keys."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

FORMAT_VERSION = 1
"""Written into every file on disk as `format`; a reader refuses any other."""


class Contract(BaseModel):
    """A frozen model that refuses unknown keys and never shows input in its errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, use_attribute_docstrings=True, ser_json_inf_nan="constants"
    )
