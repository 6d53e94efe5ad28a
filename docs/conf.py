# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the pages of this folder; `nox -s docs` does it, with warnings as errors."""

import sys
from pathlib import Path

import envpool

TOOLS = Path(__file__).resolve().parents[1] / "tools"
sys.path[:0] = [str(TOOLS / "docs"), str(TOOLS)]

project = "EnvPool"
author = "the EnvPool contributors"
copyright = "the EnvPool contributors, Apache-2.0"
release = version = envpool.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "atari_games",
    "drawings",
    "environment_pages",
    "envpool_sphinx",
    "saved_tables",
]
exclude_patterns = ["environments/*.toml"]
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"  # not what was printed

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"show-inheritance": True}
napoleon_numpy_docstring = False
default_role = "code"  # docstrings have Markdown's backticks
cpp_index_common_prefix = ["envpool::"]

html_theme = "furo"
html_title = f"EnvPool {release}"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["envpool.css"]
html_logo = "static/logo.svg"
html_favicon = "static/logo.svg"
html_theme_options = {
    # Until the first release no `pip install` of these pages finds a wheel by itself.
    "announcement": (
        "The wheels are not on the package index yet. In a checkout, "
        "<code>python3 tools/dev.py run classic atari</code> builds those that you name, and "
        "<code>export PIP_FIND_LINKS=$PWD/dist</code> lets every <code>pip install</code> of these "
        "pages find them."
    ),
    "light_css_variables": {
        "color-brand-primary": "#1668b0",
        "color-brand-content": "#1668b0",
        "font-stack": "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cb6ff",
        "color-brand-content": "#6cb6ff",
    },
    "navigation_with_keys": True,
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
