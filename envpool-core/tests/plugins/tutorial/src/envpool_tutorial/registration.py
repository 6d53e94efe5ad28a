# SPDX-License-Identifier: Apache-2.0
"""The tasks of the page. Only the ids are others: those of the page are envpool-classic's."""

from envpool.registration import register

register(
    task_id="Tutorial/CartPole-v0",
    import_path="envpool_tutorial",
    spec_cls="CartPoleEnvSpec",
    dm_cls="CartPoleDMEnvPool",
    gymnasium_cls="CartPoleGymnasiumEnvPool",
    max_episode_steps=200,
    reward_threshold=195.0,
)

register(
    task_id="Tutorial/CartPole-v1",
    import_path="envpool_tutorial",
    spec_cls="CartPoleEnvSpec",
    dm_cls="CartPoleDMEnvPool",
    gymnasium_cls="CartPoleGymnasiumEnvPool",
    max_episode_steps=500,
    reward_threshold=475.0,
)
