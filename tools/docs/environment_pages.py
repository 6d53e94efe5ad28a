# SPDX-License-Identifier: Apache-2.0
"""Writes a page for every environment, and the cards that link to the pages.

    ```{environments} atari
    ```

is a card for each task of a family; a pattern after its name, as MiniHack-*, selects tasks. The
text of a page comes from the task, as in `envpool info`, and from docs/environments/<family>.toml;
a task without a reward there is a warning. The pages are docs/environments/<family>/<task>.md, and
are not in the table of contents: Sphinx would write all of it into each page.
"""

from __future__ import annotations

import fnmatch
import functools
import importlib.util
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envpool
import tomli
from _environments import ROOT, environments, stem, versions, video_of
from _fidelity import compared, differences, path_of, totals
from _rows import Rows, read, table
from envpool.cli.info import facts as facts_of
from envpool.errors import EnvPoolError
from envpool_sphinx import Generated
from sphinx.util import logging
from task_videos import STYLES, start_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = ROOT / "docs" / "environments"
_LOG = logging.getLogger(__name__)
_INSTALL = {
    "atari": '"envpool-atari[roms]"',
    "python": "envpool-python",
    "mujoco": "envpool-mujoco",
    "robotics": '"envpool-robotics[models]"',
    "metaworld": '"envpool-metaworld[models]"',
}
_SUITE = '"envpool-mujoco[dmc]"'
DRAWN = ("gfootball", "highway", "metaworld", "myosuite", "nethack", "robotics")
"""Families without videos in the repository: pictures are drawn when pages are built."""
_NAVIGATION: dict[str, str] = {}
_ALIKE = (
    (re.compile("(_diverse_gr?)?(_(boolean|continuous)touchsensors)?(dense|sparse)?$"), ""),
    (re.compile("^myo(sarc|fati|reaf)"), "myo"),
    (re.compile("^(myohand(?!keyturn|objhold|pentwirl|pose|reach).*)random$"), r"\1fixed"),
)
"""Ids that have the same picture as another id, and that id."""
_KINDS = {
    "gfootball": r"(gfootball/(?:tests\.)?\d+_vs_\d+|.+?(?=(?:_easy|_hard)?$))",
    "minigrid": r"(.+?)(?:-?Random)?-?(?:\d+x\d|[SNR]\d|\dD|\dQ|Full$|\d$|Debug$|$)",
    "myosuite": r"(MyoHand[A-Z][a-z]+|.+?(?=(?:P\d(?:eval)?|Demo|\d?(?:Fixed|Random))?$))",
    "nethack": r"(MiniHack-[A-Za-z]+?|NetHack.*)(?:-|S?\d|$)",
}
"""The parts of ids, the first group, that variants have in common: a card shows one picture."""
_FAMILIES = {
    "atari": "Atari",
    "box2d": "Box2D",
    "classic": "classic control and toy text",
    "gfootball": "Google Research Football",
    "highway": "highway-env",
    "minigrid": "MiniGrid and BabyAI",
    "metaworld": "Meta-World",
    "mujoco": "MuJoCo",
    "myosuite": "MyoSuite",
    "nethack": "NetHack and MiniHack",
    "procgen": "Procgen",
    "python": "Python",
    "robotics": "Robotics",
    "vizdoom": "Doom",
}


def families() -> list[str]:
    """The families whose environments have pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def write_pages(app: Sphinx) -> None:
    """Writes all pages anew; unchanged pages are not written, so that Sphinx need not read them."""
    del app
    for family in families():
        texts = tomli.loads((FOLDER / f"{family}.toml").read_text(encoding="utf-8"))
        wanted = {}
        for task in environments(family):
            said = _said(texts, stem(task))
            for field in ("reward", "reference", "observation"):
                if field not in said:
                    _LOG.warning("%s.toml says nothing of the %s of %s", family, field, task.id)
            wanted[page_of(family, task)] = "\n".join(_page(family, task, said))
        for old in (FOLDER / family).glob("*.md"):
            if old not in wanted:
                old.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


def draw_pictures(app: Sphinx) -> None:
    """Draws missing pictures; `git` ignores them, so each checkout draws its own once."""
    del app
    for family in DRAWN:
        tasks = environments(family)
        paths = {task.id: video_of(family, task) for task in tasks}
        # Tasks whose picture others share come first.
        for task in sorted(tasks, key=lambda one: _looks(paths[one.id]) != paths[one.id]):
            path = paths[task.id]
            if path.exists():
                continue
            path.parent.mkdir(exist_ok=True)
            alike = _looks(path)
            if alike != path and alike.exists():
                shutil.copy(alike, path)
                continue
            try:
                start_of(task, STYLES[family]).save(path, quality=STYLES[family].quality, method=6)
            except EnvPoolError as error:  # no OpenGL: no other task can draw, either
                _LOG.warning("no pictures of %s: %s", family, error)
                break


def _looks(path: Path) -> Path:
    """The picture of the task with the same look, perhaps the task itself."""
    name = path.stem
    for pattern, other in _ALIKE:
        name = pattern.sub(other, name)
    return path.with_stem(name)


def _kind(family: str, task: envpool.Task) -> str:
    """The common value of a card's tasks: the kind, the robot, or the picture."""
    if pattern := _KINDS.get(family):
        match = re.match(pattern, re.sub("^myo(Sarc|Fati|Reaf)", "myo", stem(task)))
        assert match
        return match[1]
    domain = task.defaults.get("domain")
    return f"suite {domain}" if domain else _looks(video_of(family, task)).stem


def share_navigation(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Makes the table of contents once for all pages of environments.

    None of these pages is in it, so it is the same in all; Sphinx would copy all headings for each
    page.
    """
    del app, template, doctree
    if page.startswith("environments/"):
        new = context["toctree"]

        def toctree(**how: Any) -> str:
            if str(how) not in _NAVIGATION:
                _NAVIGATION[str(how)] = new(**how)
            return _NAVIGATION[str(how)]

        context["toctree"] = toctree


def page_of(family: str, task: envpool.Task) -> Path:
    """The path of a task's page."""
    return FOLDER / family / f"{video_of(family, task).stem}.md"


def _said(texts: Mapping[str, Any], name: str) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for pattern, fields in texts.items():
        if fnmatch.fnmatchcase(name, pattern):
            said.update(fields)
    return said


def _page(family: str, task: envpool.Task, said: Mapping[str, Any]) -> Iterator[str]:
    facts = _facts(task, said)
    yield from ("---", "orphan: true", "---", "", f"# {_title(task)}", "")
    yield from (f"One of the environments of [{_FAMILIES[family]}](../../{family}.md).", "")
    video = video_of(family, task)
    if video.exists():
        yield f"```{{image}} ../../images/environments/{family}/{video.name}"
        yield from (f":alt: {_shown(family, task)}", f":class: task-video {family}", "```", "")
    yield from (task.description, "")
    yield from ("```python no-run", "import envpool", "")
    yield from (f'pool = envpool.make("{task.id}", num_envs=64)', "```", "")
    yield from _summary(family, task, said, facts)
    yield from ("", "## Observation", "", said.get("observation", ""), "")
    yield from _arrays(facts["observation"])
    yield from ("", "## Action", "", *([said["action"], ""] if "action" in said else []))
    yield from _actions(task, facts, said)
    yield from ("", "## Reward", "", said.get("reward", ""), "")
    yield from _weights(facts)
    yield from ("", "## Info", "", *_arrays(facts["info"]), "")
    yield from ("## Options", "")
    rows = [
        (f"`{one['key']}`", _default(one), _escaped(one["meaning"]))
        for one in facts["options"]
        if one["of"] == "task"
    ]
    if rows:
        yield from (table(("option", "default", "what it is"), rows, 3), "")
    yield from ("[Options of every task](../../reference/options.md)", "")


def _facts(task: envpool.Task, said: Mapping[str, Any]) -> dict[str, Any]:
    """The task's facts, as in `envpool info --json`.

    Other maps replace maps that no package has: arrays do not depend on them. Tasks whose arrays
    need files of the user, as `bare` says, have no arrays here.
    """
    options: dict[str, Any] = {}
    if "maps" in said:
        vizdoom = importlib.util.find_spec("vizdoom")
        assert vizdoom is not None and vizdoom.origin is not None
        options["wad_path"] = str(Path(vizdoom.origin).parent / "scenarios" / said["maps"])
    if "bare" not in said:
        return facts_of(task, envpool.make_spec(task.id, **options))
    found = facts_of(task, envpool.make_spec(said["bare"]))
    return found | {
        "id": task.id,
        "observation": [],
        "action": [],
        "info": [],
        "notes": {},
        "observation_space": "",
        "action_space": "",
    }


def _shown(family: str, task: envpool.Task) -> str:
    how = "at the start of an episode" if family in DRAWN else "played at random"
    return f"{task.id}, {how}"


def _title(task: envpool.Task) -> str:
    name, colon, _ = task.description.partition(":")
    return name if colon and task.env.startswith("envpool_atari") else stem(task)


def _summary(
    family: str, task: envpool.Task, said: Mapping[str, Any], facts: Mapping[str, Any]
) -> Iterator[str]:
    steps, threshold = facts["max_episode_steps"], facts["reward_threshold"]
    others = [one.id for one in versions(family, task) if one.id != task.id]
    wheel = _INSTALL.get(family, f"envpool-{family}")
    if task.env.endswith(":DmControl"):
        wheel = _SUITE
    can = [text for key, text in (("renders", "drawn"), ("saves", "saved")) if facts[key]]
    rows = [
        ("Id", f"`{task.id}`"),
        ("Other versions", ", ".join(f"`{other}`" for other in others)),
        ("Also known as", ", ".join(f"`{name}`" for name in facts["aliases"])),
        ("Wheel", f"`pip install {wheel}`"),
        ("Observations", facts["observation_space"] and _code(facts["observation_space"])),
        ("Actions", facts["action_space"] and _code(facts["action_space"])),
        ("Episode", "no limit" if steps is None else f"at most {steps:,} steps"),
        ("Solved at", "" if threshold is None else f"a mean return of {threshold:g}"),
        ("Can be", " and ".join(can)),
        *((k.capitalize(), v) for k, v in facts["notes"].items() if k != "action names"),
        ("Reference", said.get("reference", "")),
        ("Compared", _compared(f"envpool-{family}", task)),
    ]
    rows = [(name, text.replace("|", "\\|")) for name, text in rows if text]
    yield table(rows[0], rows[1:], 2)


def _compared(wheel: str, task: envpool.Task) -> str:
    """The saved results of the task, with and without options."""
    names = "|".join(map(re.escape, (*task.names, stem(task).split("/")[-1])))
    named = re.compile(rf"({names})(?![\w/-])")
    rows = [row for row in _rows(wheel) if named.match(row["task"])]
    link = "[how](../../fidelity.md)"
    if not rows:
        return link
    return f"{totals(rows)}: {compared(rows)}; differences: {differences(rows)}; {link}"


@functools.cache
def _rows(wheel: str) -> Rows:
    return read(path_of(wheel)) if path_of(wheel).exists() else []


def _arrays(arrays: list[dict[str, Any]]) -> Iterator[str]:
    if not arrays:
        return
    rows = []
    for one in arrays:
        shape = ", ".join(map(str, one["shape"])) + ("," if len(one["shape"]) == 1 else "")
        player = " per player" if one["name"].startswith("players.") else ""
        rows.append(
            (f"`{one['name']}`", one["dtype"], f"({shape}){player}", _escaped(one["bounds"]))
        )
    yield table(("array", "dtype", "shape", "values"), rows, 4)


def _actions(
    task: envpool.Task, facts: Mapping[str, Any], said: Mapping[str, Any]
) -> Iterator[str]:
    names = said.get("actions") or facts["notes"].get("action names", "").split(", ")
    if facts["action"] and facts["action"][0]["choices"] and names != [""]:
        # With options, as Atari's, keys are numbers of other actions.
        plain = task.keys.actions if task.keys and not task.keys.options else {}
        keys = {number: f"`{key}`" for key, number in plain.items() if key}
        rows = [(str(n), name.lower(), keys.get(n, "")) for n, name in enumerate(names)]
        columns = ("action", "what it does", "key in `envpool play`")
        yield table(columns[: 3 if keys else 2], [row[: 3 if keys else 2] for row in rows], 3)
    elif facts["action"]:
        yield from _arrays(facts["action"])


def _weights(facts: Mapping[str, Any]) -> Iterator[str]:
    for option in facts["options"]:
        if option["key"] == "reward_config":
            rows = [
                (f"`{name}`", f"{up:.4g}", f"{down:.4g}")
                for name, (up, down) in option["default"].items()
            ]
            columns = ("game variable", "for an increase of 1", "for a decrease of 1")
            yield table(columns, rows, 1)


def _default(option: Mapping[str, Any]) -> str:
    if option["key"] == "reward_config":
        return "the table above"
    return _code(repr(option["default"]))


def _code(text: str) -> str:
    return f"`{text}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("[", "\\[").replace("<", "&lt;")


class Environments(Generated):
    """Cards of the environments of a family."""

    required_arguments = 1
    optional_arguments = 1

    def markdown(self) -> Iterator[str]:
        """The lines."""
        family = self.arguments[0]
        depth = self.env.docname.count("/")
        here = "../" * depth
        pattern = self.arguments[1] if len(self.arguments) > 1 else "*"
        tasks = [one for one in environments(family) if fnmatch.fnmatchcase(one.id, pattern)]
        yield from ("::::{grid} 2 3 4 4", ":gutter: 2", f":class-container: task-videos {family}")
        yield ""
        shown: dict[str, list[envpool.Task]] = {}
        for task in sorted(tasks, key=lambda task: len(stem(task))):
            shown.setdefault(_kind(family, task), []).append(task)
        for task, *variants in sorted(shown.values(), key=lambda group: stem(group[0])):
            video = video_of(family, task)
            page = f"/environments/{family}/{page_of(family, task).stem}"
            title = _title(task)
            # The card's own link covers the links in it.
            yield f":::{{grid-item-card}} {f'[{title}]({page}.md)' if variants else title}"
            if video.exists():
                yield f":img-top: {here}images/environments/{family}/{video.name}"
                yield f":img-alt: {_shown(family, task)}"
            if not variants:
                yield from (f":link: {page}", ":link-type: doc")
            pages = ((_title(one), page_of(family, one).stem) for one in variants)
            names = (f"[{name}](/environments/{family}/{of}.md)" for name, of in pages)
            yield from ("", ", ".join(names), ":::", "")
        yield from ("::::", "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directive, and writes the pages before Sphinx looks for them."""
    app.connect("config-inited", lambda app, config: draw_pictures(app))
    app.connect("config-inited", lambda app, config: write_pages(app))
    # Before the theme, which reads the table.
    app.connect("html-page-context", share_navigation, priority=100)
    app.add_directive("environments", Environments)
    return {"parallel_read_safe": True}
