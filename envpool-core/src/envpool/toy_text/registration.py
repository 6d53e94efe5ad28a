# SPDX-License-Identifier: Apache-2.0
"""Upstream's scripts import this module, which registers nothing."""

from ..registration import register as register
