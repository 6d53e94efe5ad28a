# SPDX-License-Identifier: Apache-2.0
"""Members of upstream's pools and specs that another member replaces.

docs/upstream.md has a table of them; the reference leaves them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._specs.options import as_int, check_range, is_sequence, seed_list

if TYPE_CHECKING:
    import numpy as np
    from gymnasium import Space
    from numpy.typing import NDArray


class OldPoolMembers:
    """Members of pools."""

    _pending_seed: int | list[int] | None

    def seed(
        self: Any, seed: int | Sequence[int] | np.integer[Any] | NDArray[np.integer[Any]]
    ) -> None:
        """Sets the seeds that the next reset of all environments will use.

        Args:
            seed: An int gives environment i the seed `seed + i`; a sequence has one for each.

        Raises:
            ConfigError: If it is no whole number that is at least 0, or not one per environment.
        """
        if is_sequence(seed):
            self._pending_seed = seed_list("seed", seed, len(self), "seed(")
            return
        one = as_int("seed", seed, "seed(")
        check_range("seed", one, 0, 2**63 - 1 - len(self), "seed(")
        self._pending_seed = one


class OldSpecMembers:
    """Members of specs."""

    @property
    def gymnasium_observation_space(self: Any) -> Space[Any]:
        """The same as `observation_space`."""
        return self.observation_space  # type: ignore[no-any-return]

    @property
    def gymnasium_action_space(self: Any) -> Space[Any]:
        """The same as `action_space`."""
        return self.action_space  # type: ignore[no-any-return]
