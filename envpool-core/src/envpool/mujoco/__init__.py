# SPDX-License-Identifier: Apache-2.0
"""Upstream's `envpool.mujoco`, which has `gym` and `dmc`."""
