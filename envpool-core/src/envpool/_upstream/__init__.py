# SPDX-License-Identifier: Apache-2.0
"""Upstream, the distribution `envpool`: its modules of classes, and its files in our folder."""
