"""Sphinx's configuration of the site: see `__main__.py`, which lays out the pages that it reads."""

from pathlib import Path

import winnow_ci

HERE = Path(__file__).parent

project = "winnow-ci"
author = "The winnow-ci authors"
copyright = f"{author}; Apache-2.0"  # noqa: A001 - Sphinx's name
release = winnow_ci.__version__
language = "en-GB"

extensions = ["myst_parser"]
nitpicky = True
myst_heading_anchors = 4
highlight_language = "none"
smartquotes = False  # they would make a dash of the two before an option

html_theme = "furo"
html_title = f"winnow-ci {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_favicon = str(HERE / "static" / "favicon.svg")
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_last_updated_fmt = None
