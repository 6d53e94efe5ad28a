# SPDX-License-Identifier: Apache-2.0
"""Writes the engine's sources with changes: python alter.py THIRD_PARTY/GFOOTBALL_ENGINE INTO.

INTO/src has all compiled files, with the changes of `CHANGES`: each old text must occur exactly as
often as its `count`. INTO/parts has the compiler's inputs, each of which includes several files of
the engine. INTO/stand_ins has headers with the names of Boost, SDL, EGL and assert.h; each includes
a header of this wheel's cpp/stand_ins.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Change(NamedTuple):
    """A text and its replacement, `count` times."""

    old: str
    new: str
    count: int = 1


CHANGES: Mapping[str, tuple[Change, ...]] = {
    # Uses the class that draws nothing.
    "systems/graphics/graphics_system.cpp": (
        Change("new OpenGLRenderer3D()", "new MockRenderer3D()"),
    ),
    # Removes the process's random numbers, which only a picture of the pitch would use.
    "main.cpp": (
        Change("  srand(seed);\n", ""),
        Change("  rand(); // mingw32?", "  // mingw32?"),
    ),
    # Removes writes to, and reads from, the process outside a game.
    "game_env.cpp": (
        Change("  install_stacktrace();\n", ""),
        Change("  std::cout.precision(17);\n", ""),
        Change("  std::cout << std::unitbuf;\n", ""),
        Change('getenv("GFOOTBALL_DATA_DIR")', "nullptr"),
        Change('getenv("GFOOTBALL_FONT")', "nullptr"),
    ),
    # Nothing is drawn: meshes have their bounds, see cpp/engine/bounds.h, and no triangles, and the
    # renderer gets none.
    "loaders/aseloader.cpp": (
        Change(
            '#include "aseloader.hpp"\n', '#include "aseloader.hpp"\n#include "engine/bounds.h"\n'
        ),
        Change(
            "  triangleCount = 0;\n",
            "  triangleCount = 0;\n"
            "  if (envpool::gfootball::TakeBounds(filename, *resource->GetResource())) return;\n",
        ),
        Change(
            "  delete data;\n",
            "  delete data;\n"
            "  envpool::gfootball::KeepBounds(filename, *resource->GetResource());\n",
        ),
    ),
    "scene/resources/geometrydata.hpp": (
        Change(
            "      AABB GetAABB() const;\n",
            "      AABB GetAABB() const;\n      void HaveBounds(const AABB& bounds);\n",
        ),
    ),
    "systems/graphics/objects/graphics_geometry.cpp": (
        Change('    //printf("loading %s\\n", geometry->GetName().c_str());\n', "    return;\n"),
    ),
    # Animations are shared by all games, see cpp/engine/animations.h. Their sort key belongs to the
    # game, and their parts are read without counting references.
    "main.hpp": (
        Change(
            "  boost::shared_ptr<AnimCollection> anims;\n",
            "  boost::shared_ptr<AnimCollection> anims;\n"
            "  const std::map<Animation*, std::vector<Vector3>>* animPositions = nullptr;\n"
            "  std::vector<float> animOrder;\n",
        ),
    ),
    "utils/animation.hpp": (
        Change("      mutable float order_float = 0;\n", ""),
        Change(
            "      boost::shared_ptr<AnimationExtension> GetExtension(",
            "      const boost::shared_ptr<AnimationExtension>& GetExtension(",
        ),
    ),
    "utils/animation.cpp": (
        Change(
            "  boost::shared_ptr<AnimationExtension> Animation::GetExtension(",
            "  const boost::shared_ptr<AnimationExtension>& Animation::GetExtension(",
        ),
    ),
    "onthepitch/player/humanoid/humanoidbase.cpp": (
        Change("anims->GetAnim(anim)->order_float", "GetContext().animOrder[anim]", 2),
        Change("anims->GetAnim(animIndex1)->order_float", "GetContext().animOrder[animIndex1]"),
        Change("anims->GetAnim(animIndex2)->order_float", "GetContext().animOrder[animIndex2]"),
    ),
    "onthepitch/match.cpp": (
        Change('#include "match.hpp"\n', '#include "match.hpp"\n#include "engine/animations.h"\n'),
        Change("animPositionCache.find(anim)", "animPositions->find(anim)"),
        Change(
            "  auto& anims = GetContext().anims;\n",
            "  auto& anims = GetContext().anims;\n"
            "  if (!anims) envpool::gfootball::TakeAnimations();\n",
        ),
        Change("      a->DirtyCache();\n", ""),
        # A loaded state contains images of the last moments, and loading leaves their flags
        # unchanged. Images that a new game does not have yet are then rotated like its first image,
        # and not like new images.
        Change(
            "mentalImages.resize(size);",
            "mentalImages.resize(size, mentalImages.empty() ? MentalImage() : mentalImages[0]);",
        ),
    ),
    # An agent may have no player at the moment, and so none to switch from.
    "onthepitch/team.cpp": (
        Change(
            "      if (humanGamers[i]->GetHIDevice()->GetButton(e_ButtonFunction_Switch) &&",
            "      if (selectedPlayer != nullptr &&\n"
            "          humanGamers[i]->GetHIDevice()->GetButton(e_ButtonFunction_Switch) &&",
        ),
    ),
    # A game that cannot continue throws an exception and does not end the process.
    "onthepitch/player/humanoid/humanoid.cpp": (
        Change(
            "      exit(1);\n",
            '      envpool::gfootball::Fault("no animation fits", __FILE__, __LINE__);\n',
        ),
        Change(
            'boost::static_pointer_cast<FootballAnimationExtension>(currentAnim.anim->GetExtension("football"))->',
            'static_cast<FootballAnimationExtension*>(currentAnim.anim->GetExtension("football").get())->',
        ),
        Change(
            "boost::shared_ptr<FootballAnimationExtension> footballExtension = "
            'boost::static_pointer_cast<FootballAnimationExtension>(anim->GetExtension("football"));',
            "auto* footballExtension = static_cast<FootballAnimationExtension*>("
            'anim->GetExtension("football").get());',
        ),
    ),
}
# Not compiled: Python, OpenGL, and files for a picture of the pitch only; two are replaced by our
# files.
LEFT_OUT = {
    "systems/graphics/rendering/opengl_renderer3d.cpp",
    "onthepitch/proceduralpitch.cpp",
    "misc/perlin.cpp",
    "base/log.cpp",
    "cmake/backtrace.cpp",
}
# Files that do not include SDL. SDL's header puts the float overloads of fabs, sin, abs ... into
# the global namespace; without it, these functions compute in double, or abs in int. Results have
# other last bits if such a file is compiled after a file that includes the header.
WITHOUT_SDL = (
    "base/geometry/aabb.cpp",
    "base/geometry/triangle.cpp",
    "base/math/matrix4.cpp",
    "base/math/quaternion.cpp",
    "base/math/vector3.cpp",
    "base/properties.cpp",
)
# Files that define names which other files define otherwise.
ALONE = ("utils/animation.cpp", "onthepitch/player/humanoid/humanoid.cpp")
STAND_INS: Mapping[str, tuple[str, ...]] = {
    "boost.h": (
        "boost/algorithm/string.hpp",
        "boost/bind.hpp",
        "boost/circular_buffer.hpp",
        "boost/detail/atomic_count.hpp",
        "boost/filesystem.hpp",
        "boost/intrusive_ptr.hpp",
        "boost/random.hpp",
        "boost/shared_ptr.hpp",
        "boost/signals2.hpp",
        "boost/signals2/slot.hpp",
        "boost/thread/condition.hpp",
        "boost/weak_ptr.hpp",
    ),
    "sdl.h": (
        "SDL2/SDL.h",
        "SDL2/SDL2_rotozoom.h",
        "SDL2_rotozoom.h",
        "SDL2/SDL_endian.h",
        "SDL2/SDL_image.h",
        "SDL2/SDL_keyboard.h",
        "SDL2/SDL_keycode.h",
        "SDL2/SDL_surface.h",
        "SDL2/SDL_ttf.h",
    ),
    "egl.h": ("EGL/egl.h",),
    "assert.h": ("assert.h",),
}


def main(engine: Path, into: Path) -> None:
    """Writes all files."""
    source, target = engine / "src", into / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".h"):
            continue
        name = path.relative_to(source).as_posix()
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        _write(target / name, _changed(name, text))
    for name in CHANGES:
        if not (target / name).exists():
            sys.exit(f"there is no src/{name}: it is of another gfootball")
    for name, texts in _parts(engine).items():
        lines = [f'#include "{target / text}"\n' for text in texts]
        _write(into / "parts" / f"{name}.cc", "".join(lines))
    for own, names in STAND_INS.items():
        for name in names:
            _write(into / "stand_ins" / name, f'#include "stand_ins/{own}"\n')
    left = {path for path in into.rglob("*") if path.is_file()} - _written
    for path in left:  # files of an earlier version of this script
        path.unlink()


def _changed(name: str, text: str) -> str:
    for change in CHANGES.get(name, ()):
        found = text.count(change.old)
        if found != change.count:
            sys.exit(
                f"src/{name} has {change.old.strip()!r} {found} times and not {change.count}: it "
                "is of another gfootball"
            )
        text = text.replace(change.old, change.new)
    if name in CHANGES:
        text = f"// Altered from gfootball, see envpool-gfootball's cmake/alter.py.\n{text}"
    return text


def _parts(engine: Path) -> dict[str, list[str]]:
    """The compiled files, by the files that include them."""
    lists = (engine / "sources.cmake").read_text(encoding="utf-8")
    files = ["ai/ai_keyboard.cpp", "game_env.cpp"]
    for name, body in re.findall(r"set\((\w+)_SOURCES\s(.*?)\)", lists, re.DOTALL):
        if name not in ("AI", "CLIENT"):
            files += [word.removeprefix("src/") for word in body.split() if word.endswith(".cpp")]
    files = [file for file in dict.fromkeys(files) if file not in LEFT_OUT]
    for file in (*WITHOUT_SDL, *ALONE):
        if file not in files:
            sys.exit(f"sources.cmake does not name src/{file}: it is of another gfootball")
    rest = [file for file in files if file not in WITHOUT_SDL and file not in ALONE]
    pitch = [file for file in rest if file.startswith("onthepitch/")]
    return {
        "without_sdl": list(WITHOUT_SDL),
        **{Path(file).stem: [file] for file in ALONE},
        "pitch": pitch,
        "rest": [file for file in rest if file not in pitch],
    }


_written: set[Path] = set()


def _write(path: Path, text: str) -> None:
    """Writes a file unless it is the same already: an unchanged file is not compiled again."""
    _written.add(path)
    if path.exists() and path.read_text(encoding="utf-8", errors="surrogateescape") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
