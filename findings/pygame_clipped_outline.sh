#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pygame-ce 2.5.8: an outline of a rectangle is filled where little of it is on the surface.
#
# `pygame.draw.rect(surface, color, rect, 1)` draws the four sides, as clipped by the surface. But where
# two rows or columns of the rectangle, or fewer, lie on the surface, all of that part is filled: the
# width is compared with the clipped rectangle and not with the one that was asked for. A rectangle of
# 11 by 8 whose two left columns are visible is two full columns, and with three visible ones it is
# one column and the two sides.
#
# Seen with Python 3.11. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pygame-ce==2.5.8"
output=$(PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" - <<'PY'
import pygame

for visible in (2, 3):
    surface = pygame.Surface((5, 6))
    pygame.draw.rect(surface, (255, 255, 255), (5 - visible, -2, 11, 10), 1)
    print(visible, *("#" if surface.get_at((x, 3))[0] else "." for x in range(5)))
PY
)
echo "columns that are visible, and one row of the surface"
echo "$output"
test "$output" = "2 . . . # #
3 . . # . ."
