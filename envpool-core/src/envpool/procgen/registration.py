# SPDX-License-Identifier: Apache-2.0
"""Registers nothing: EnvPool finds the tasks of a family itself. Upstream's scripts import it."""

from ..registration import register

__all__ = ["register"]
