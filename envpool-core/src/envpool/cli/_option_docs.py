# SPDX-License-Identifier: Apache-2.0
"""A sentence for each option that every task has; families document their own in `Task`."""

from __future__ import annotations

COMMON = {
    "num_envs": "environments in the pool",
    "batch_size": "rows of a result; fewer than num_envs makes the pool asynchronous; 0: num_envs",
    "num_threads": "most threads that step environments at a time; 0: as many as the task is best "
    "served with",
    "max_num_players": "most players in one environment, for tasks with several",
    "thread_affinity_offset": "CPU of the first thread, among those that the process may use; the "
    "next ones follow; -1: not bound",
    "base_path": "folder of the task's files; empty: those of its wheel",
    "seed": "environment i has the seed seed + i; a sequence: one for each; None: drawn",
    "max_episode_steps": "steps after which an episode is truncated",
}
OF_MANY_TASKS = {
    "reward_threshold": "mean return at which the task counts as solved",
    "from_pixels": "True: observations are images, of render_width x render_height (84 x 84)",
    "frame_stack": "images in one observation, the newest last; with from_pixels=True",
}
POOL = {
    "render_mode": "None, 'rgb_array' for frames from render(), 'human' for a window, 'ansi' for "
    "text, 'depth_array', 'rgbd_tuple'",
    "render_env_id": "environment that render() draws when it is not told",
    "render_width": "width of a frame in pixels; 0: the task's own",
    "render_height": "height of a frame in pixels; 0: the task's own",
    "render_camera_id": "camera of a frame; -1: the task's own",
    "autoreset_mode": "'next_step': the step after an episode's end resets; 'same_step': the step "
    "that ends it does; 'disabled': reset by hand",
}
