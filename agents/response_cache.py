"""The cache of replies: what identifies a request, and a diskcache that holds nothing but text."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from state.trajectory import Request
from state.vocabulary import Role


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, ASCII, no blanks, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def request_key(role: Role, provider: str, request: Request, sample: int) -> str:
    """SHA-256 over everything that can change a reply; the same in every process."""
    parts = {
        "role": role.value,
        "provider": provider,
        "base_url": request.base_url,
        "model": request.model,
        "params": request.params_sent,
        "messages": list(request.messages),
        "schema": request.schema_,
        "sample": sample,
    }
    return hashlib.sha256(canonical_json(parts).encode("ascii")).hexdigest()
