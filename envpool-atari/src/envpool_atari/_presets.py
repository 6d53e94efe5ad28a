# SPDX-License-Identifier: Apache-2.0
"""Presets: other libraries' defaults for the same games.

A given option wins over the preset. The compiled environment has the rules that a preset changes
beside these values: the order of no-ops and FIRE, and the use of the seed.
"""

from __future__ import annotations

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, object]] = {
    # EnvPool 1.2.5.
    "envpool": {},
    # ale_py.AtariVectorEnv.
    "ale": {"reward_clip": True, "layout": "stack_first"},
    # gymnasium.make("ALE/Pong-v5").
    "gymnasium": {
        "obs_type": "rgb",
        "max_pool": False,
        "noop_max": 0,
        "use_fire_reset": False,
        "repeat_action_probability": 0.25,
    },
}

PIPELINE: Mapping[str, object] = {
    # FrameStackObservation(AtariPreprocessing(gymnasium.make("ALE/Pong-v5", frameskip=1)), 4).
    "max_pool": True,
    "noop_max": 30,
    "layout": "stack_first",
}
"""The further values of preset="gymnasium" with obs_type="screen"."""

FRAME_LIMIT = 108_000
"""Frames after which the presets "ale" and "gymnasium" truncate an episode; a step has `frame_skip`
frames.
"""

OPTION_DOCS: Mapping[str, str] = {
    "stack_num": "screens in an observation, the newest last",
    "frame_skip": "frames that an action lasts; a pair (low, high) draws low .. high - 1 each step",
    "noop_max": "an episode begins with up to so many frames without an action; 0: with none",
    "zero_discount_on_life_loss": "whether the discount is 0 in a step that loses a life",
    "episodic_life": "whether an episode ends when a life is lost",
    "reward_clip": "whether a reward is -1, 0 or 1; info['reward'] is always the game's",
    "use_fire_reset": "whether an episode begins with FIRE, if the game has that action",
    "img_height": "lines of a resized screen",
    "img_width": "columns of a resized screen",
    "task": "the game, as its cartridge is called: 'ms_pacman'",
    "mode": "the game's mode; -1: its first one",
    "difficulty": "position of the difficulty switches, 0 .. 3; -1: nobody touches them",
    "full_action_space": "all actions of the console, 18, in place of those that do something in "
    "the game; 9 in lost_luggage and skiing, which know no button",
    "repeat_action_probability": "probability that a frame repeats the action of the frame before",
    "use_inter_area_resize": "OpenCV's INTER_AREA; False: INTER_LINEAR",
    "gray_scale": "shades of gray; False: red, green and blue",
    "preset": "whose defaults and rules: 'envpool', 'ale' (ale_py.AtariVectorEnv) or 'gymnasium' "
    "(ALE/...-v5); options that are given win",
    "obs_type": "'screen': resized screens, stacked; 'rgb' or 'gray': the screen as it is; 'ram': "
    "128 bytes of memory",
    "layout": "'channel_first': (stack_num * channels, height, width); 'channel_last': (height, "
    "width, stack_num * channels); 'stack_first': (stack_num, height, width[, 3])",
    "crop": "'210': only the first 210 lines of a screen, as EnvPool 1.2.5; 'none': all of them",
    "max_pool": "whether a screen is the brighter one of the last two frames, pixel by pixel",
    "frame_skip_high": "0, or draw from frame_skip .. frame_skip_high - 1 how long an action lasts",
    "continuous": "actions are (radius, angle, fire) of a joystick, three float32 numbers",
    "continuous_action_threshold": "how far that joystick has to lean to count",
    "cache_reset": "whether a new game begins with a stored state, which saves a millisecond; "
    "in 73 games that is the same, in 31 it is not",
    "life_loss_info": "whether a step that loses a life says terminated, and the game goes on",
}

ROM_OPTION_DOCS: Mapping[str, str] = {
    **OPTION_DOCS,
    "task": "stands for the ROM; set rom_path",
    "rom_path": "the file of the ROM; '': Catch, a game that comes with this wheel",
    "cartridge": "how it is wired: 'auto' goes by its size and contents, or '2K', '4K', 'F8', "
    "'F8SC', 'F6', 'F6SC', 'E0', 'FE', 'DPC'",
    "score_bytes": "bytes of info['ram'] with the score, two decimal digits each, the first digits "
    "first; (): rewards are 0",
    "lives_byte": "byte of info['ram'] with the lives, an episode ends when it is 0; -1: episodes "
    "end by their length alone",
    "paddles": "whether it is played with paddles; or else with a joystick",
    "screen_height": "lines of the screen: 210, or 250 for PAL",
}
