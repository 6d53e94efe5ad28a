# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Football: CompiledEnv
