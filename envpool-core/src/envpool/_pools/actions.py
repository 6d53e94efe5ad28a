# SPDX-License-Identifier: Apache-2.0
"""Actions of several arrays, as the compiled pool takes them."""

from __future__ import annotations

from typing import Any


def flatten(action: dict[str, Any]) -> dict[str, Any]:
    """An action without dicts in it: `{"a": {"b": x}}` as `{"a.b": x}`."""
    if not any(isinstance(value, dict) for value in action.values()):
        return action
    flat: dict[str, Any] = {}
    for key, value in action.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": leaf for inner, leaf in flatten(value).items()}
        else:
            flat[key] = value
    return flat
