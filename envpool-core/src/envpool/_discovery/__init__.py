# SPDX-License-Identifier: Apache-2.0
"""Discovery: the installed families, their tasks and their compiled environments."""
