# SPDX-License-Identifier: Apache-2.0
"""Specs and options: what a pool is made with, and what its arrays are."""
