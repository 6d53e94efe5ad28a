# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the pages of this folder; `nox -s docs` does it, with warnings as errors."""

import sys
from pathlib import Path

import envpool

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "docs"))

project = "EnvPool"
author = "the EnvPool contributors"
copyright = "the EnvPool contributors, Apache-2.0"
release = version = envpool.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "envpool_sphinx"]
myst_heading_anchors = 3

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
html_css_files = ["wide.css"]
