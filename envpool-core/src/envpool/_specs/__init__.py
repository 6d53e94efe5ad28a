# SPDX-License-Identifier: Apache-2.0
"""Specs and options: the recipe of a pool, and the descriptions of its arrays."""
