"""The command line: a table of predictions in, posteriors, comparison and ranking out.

``main`` goes one way, and each step is a module: `_parser` (arguments), `_table` (a CSV file) or
`_example` (no file), `_evaluation` (posteriors and their comparison), `_document` (all results, as
a plain dict, which is the JSON output), `_sections` (the results as tables of text), `_text` and
`_page` (the tables in a terminal and in a browser) with `_figures`. What needs scikit-learn is
imported when it is used, so that ``--help`` is quick.
"""

from skpostbac._cli._main import main

__all__ = ["main"]
