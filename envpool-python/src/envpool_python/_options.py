# SPDX-License-Identifier: Apache-2.0
"""This family's options, beside those of all pools."""

from __future__ import annotations

START_METHODS = ("forkserver", "spawn")
ENV_KINDS = ("auto", "gymnasium", "parallel", "aec")
ASYNC_WORKERS_PER_CPU = 8
OBSERVATION_MODES = ("same", "different")
ON_ERROR = ("raise", "restart")
OPTION_DOCS = {
    "num_workers": "worker processes; 0: num_threads, or by the number of CPUs and environments",
    "start_method": "how workers start: 'forkserver', or 'spawn', slower and more separate",
    "on_error": "when an environment or its worker fails: 'raise', or 'restart' and go on",
    "observation_mode": "'same': all environments have one space; 'different': bounds may differ",
    "step_timeout": "seconds that a step or a reset may take; 0: as long as it wants",
    "env_kwargs": "arguments of gymnasium.make",
    "env_kind": "what the functions make: 'gymnasium', 'parallel' or 'aec'; 'auto': as they are",
    "env_fns": "one function for each environment, which makes it",
}
OWN_OPTIONS: dict[str, object] = {
    "num_workers": 0,
    "start_method": "forkserver",
    "on_error": "raise",
    "observation_mode": "same",
    "step_timeout": 0.0,
}
