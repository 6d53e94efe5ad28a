# SPDX-License-Identifier: Apache-2.0
"""The module names of EnvPool's documentation, for code written for them."""
