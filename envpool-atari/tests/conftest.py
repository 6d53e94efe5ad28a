# SPDX-License-Identifier: Apache-2.0
"""In this file's folder, tests of the folders below may import modules of this folder."""
