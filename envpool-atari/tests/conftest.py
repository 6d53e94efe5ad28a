# SPDX-License-Identifier: Apache-2.0
"""Where pytest finds this file, tests of the folders below may import modules of this one."""
