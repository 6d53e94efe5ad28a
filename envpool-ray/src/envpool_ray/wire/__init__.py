# SPDX-License-Identifier: Apache-2.0
"""Caller and workers have this in common: connections, messages and shared memory."""
