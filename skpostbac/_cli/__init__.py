"""The command line: evaluates a table of predictions and compares its classifiers.

Each step of ``main`` is a module: `_parser` (arguments), `_table` (reads a file) or `_example` (no
file), `_evaluation` (posteriors and their comparison), `_document` (all results as a plain dict,
the JSON output), `_sections` (tables of text), `_text` and `_page` (tables in a terminal and in a
browser), `_figures` (plots). Modules that need scikit-learn are imported when used, so that
``--help`` is quick.
"""

from skpostbac._cli._main import main

__all__ = ["main"]
