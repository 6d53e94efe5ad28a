# SPDX-License-Identifier: Apache-2.0
"""Pools: the classes whose objects `make` returns, and `make`."""
