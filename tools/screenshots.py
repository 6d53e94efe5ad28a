# SPDX-License-Identifier: Apache-2.0
"""Looks at the built pages in headless Chromium: is anything wider than the window?

    python tools/screenshots.py                          # all pages, from 800 to 1920 pixels wide
    python tools/screenshots.py index atari --images out/screenshots   # these, and as images

Needs the pages in out/docs (`nox -s docs`) and the program `chromium` (Debian: `apt install
chromium`). A page fails if it can be scrolled to the side, or if one of its tables is cut off.
Images are made at three widths, by day and by night.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WIDTHS = (800, 1000, 1280, 1400, 1600, 1920)
IMAGE_WIDTHS = (800, 1280, 1920)
HEIGHT = 1300  # of an image
PATIENCE = 300  # seconds for one run of Chromium
AT_A_TIME = 40  # pages for one run of it
# Opens each page in a frame of each width, and writes what is too wide into the document.
HARNESS = """<!doctype html><meta charset="utf-8"><body><pre id="found"></pre><script>
const pages = %s, widths = %s, found = [];
(async () => {
  for (const page of pages) for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:900px;border:0`;
    frame.src = page;
    await new Promise(done => { frame.onload = done; document.body.append(frame); });
    const inside = frame.contentDocument, root = inside.documentElement;
    if (root.scrollWidth > width) found.push([page, width, "the page", root.scrollWidth - width]);
    for (const table of inside.querySelectorAll(".table-wrapper")) {
      const more = table.scrollWidth - table.clientWidth;
      if (more > 1) found.push([page, width, "| " + table.innerText.slice(0, 60), more]);
    }
    frame.remove();
  }
  document.getElementById("found").textContent = "FOUND" + JSON.stringify(found) + "END";
})();
</script>"""
# Shows one page as the theme has it.
SHOT = """<!doctype html><body style="margin:0"><script>
localStorage.theme = "%s";
const frame = document.createElement("iframe");
frame.style.cssText = "width:100vw;height:100vh;border:0;display:block";
frame.src = "%s";
document.body.append(frame);
</script>"""


def main() -> int:
    """Prints what is too wide; the exit status is 1 if there is anything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pages", nargs="*", help="as index, reference/engine; all if left out")
    parser.add_argument("--docs", type=Path, default=ROOT / "out" / "docs")
    parser.add_argument("--images", type=Path, help="a folder for images of these pages")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("screenshots: got no program chromium; run `apt install chromium`")
    pages = [f"{page}.html" for page in options.pages] or all_pages(options.docs)
    missing = [page for page in pages if not (options.docs / page).exists()]
    if missing or not pages:
        sys.exit(f"screenshots: {missing or options.docs} is not there; run `nox -s docs` first")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        (site / "docs").symlink_to(options.docs.resolve())
        with serving(site) as server:
            base = f"http://127.0.0.1:{server.server_port}"
            found = [
                row
                for start in range(0, len(pages), AT_A_TIME)
                for row in too_wide(chromium, site, base, pages[start : start + AT_A_TIME])
            ]
            for page in pages if options.images else ():
                take_images(chromium, site, base, page, options.images)
    for page, width, what, more in found:
        print(f"{page} at {width} pixels: {what!r} is {more} pixels too wide")
    print(f"{len(pages)} pages, {len(found)} places that are too wide")
    return 1 if found else 0


def all_pages(docs: Path) -> list[str]:
    """The pages that people read."""
    found = sorted(str(path.relative_to(docs)) for path in docs.rglob("*.html"))
    return [page for page in found if not page.startswith(("_", "genindex", "search"))]


def too_wide(chromium: str, site: Path, base: str, pages: Sequence[str]) -> list[Any]:
    """What is too wide on pages: page, width of the window, what, and by how much."""
    addresses = json.dumps([f"docs/{page}" for page in pages])
    (site / "look.html").write_text(HARNESS % (addresses, json.dumps(WIDTHS)), encoding="utf-8")
    budget = f"--virtual-time-budget={PATIENCE * 1000}"
    text = _run(chromium, budget, "--dump-dom", f"{base}/look.html")
    match = re.search(r"FOUND(\[.*\])END</pre>", text, re.DOTALL)
    if match is None:
        sys.exit(f"screenshots: chromium did not come to the end of {pages[0]} ... {pages[-1]}")
    found: list[Any] = json.loads(match[1].replace("&amp;", "&").replace("&lt;", "<"))
    return found


def take_images(chromium: str, site: Path, base: str, page: str, folder: Path) -> None:
    """Writes an image of a page for each width and theme."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        (site / "shot.html").write_text(SHOT % (theme, f"docs/{page}"), encoding="utf-8")
        for width in IMAGE_WIDTHS:
            name = page.removesuffix(".html").replace("/", "-")
            out = folder / f"{name}-{width}-{theme}.png"
            _run(
                chromium,
                f"--screenshot={out.resolve()}",
                f"--window-size={width},{HEIGHT}",
                "--virtual-time-budget=4000",
                f"{base}/shot.html",
            )


def _run(chromium: str, *arguments: str) -> str:
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [*command, f"--user-data-dir={profile}", *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    return done.stdout


class serving:  # noqa: N801
    """A web server of a folder, on a free port of this machine, as long as it is needed."""

    def __init__(self, folder: Path) -> None:
        """Starts it with `with`."""
        handler = functools.partial(_Quiet, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> http.server.ThreadingHTTPServer:
        """Starts it."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self._server

    def __exit__(self, *_: object) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


if __name__ == "__main__":
    sys.exit(main())
