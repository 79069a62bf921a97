"""Settings of Sphinx; CONTRIBUTING.rst has the command that builds the site."""

import logging
import re
import sys
from datetime import date
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

import skpostbac

sys.path.insert(
    0, str(Path(__file__).parent)
)  # Sphinx imports the modules beside this file by name

project = "skpostbac"
author = "skpostbac developers"
project_copyright = f"{date.today().year}, {author}"
version = release = skpostbac.__version__

extensions = [
    "browser_archive",
    "long_names",
    "mathml",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "plain",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples"]  # the gallery is made from the latter
templates_path = ["_templates"]
default_role = "literal"

# Every reference must have a target, those to other projects excepted: see below.
nitpicky = True

# The docstrings say types in words. A template lists the members of each class.
autodoc_typehints = "none"
maximum_signature_line_length = 68  # longer ones have a line for each parameter
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

# Other projects ---------------------------------------------------------------------------------

intersphinx_mapping = {
    "joblib": ("https://joblib.readthedocs.io/en/stable/", None),
    "matplotlib": ("https://matplotlib.org/stable/", None),
    "numpy": ("https://numpy.org/doc/stable/", None),
    "python": ("https://docs.python.org/3/", None),
    "scipy": ("https://docs.scipy.org/doc/scipy/", None),
    "sklearn": ("https://scikit-learn.org/stable/", None),
}
intersphinx_timeout = 10

# The site must also build where there is no network, with warnings as errors. References to the
# projects above, and to what Python has built in, are then plain text.
nitpick_ignore_regex = [("py:.*", r"(joblib|matplotlib|numpy|scipy|sklearn)\..*|sum")]


def is_not_about_the_network(record: logging.LogRecord) -> bool:
    """Drop the one warning, which has no type to suppress it by, of an inventory out of reach."""
    return not str(record.msg).startswith("failed to reach any of the inventories")


logging.getLogger("sphinx.sphinx.ext.intersphinx").addFilter(is_not_about_the_network)

# Pictures and examples --------------------------------------------------------------------------

plot_formats = [("svg", 100)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"figure.figsize": (6.4, 3.6), "figure.constrained_layout.use": True}

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "gallery_order.reading_order",
    "abort_on_example_error": True,
    "backreferences_dir": "api/generated/backreferences",
    "doc_module": ("skpostbac",),
    "reference_url": {"skpostbac": None},
    "image_srcset": ["2x"],
    "thumbnail_size": (600, 420),
    "write_computation_times": False,  # a page that needs the network
    "show_signature": False,
    "remove_config_comments": True,
}

# The site ---------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["paper.js"]
html_title = f"skpostbac {version}"
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "skpostbac"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "article_header_end": ["which-function"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
html_sidebars = {"**": ["which-function", "sidebar-nav-bs"], "index": [], "changes": []}
html_show_sourcelink = False
html_copy_source = False
copybutton_exclude = ".linenos, .gp, .go"


def keep_percent_signs(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Keep a percent sign on the line of its number, by a space that does not break."""
    for text in list(doctree.findall(nodes.Text)):
        is_code = isinstance(
            text.parent, nodes.literal | nodes.FixedTextElement | nodes.raw
        )
        if (
            not is_code
            and (kept := re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)) != text
        ):
            text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> None:
    """Connect what changes pages after they are read."""
    app.connect("doctree-resolved", keep_percent_signs)
