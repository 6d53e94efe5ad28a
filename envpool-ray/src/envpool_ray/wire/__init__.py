# SPDX-License-Identifier: Apache-2.0
"""What caller and workers have in common: connections, messages and shared memory."""
