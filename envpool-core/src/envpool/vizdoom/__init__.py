# SPDX-License-Identifier: Apache-2.0
"""The classes of upstream's `envpool.vizdoom`."""

from .._upstream.classes import names_of

__all__, __getattr__, __dir__ = names_of(__name__)
