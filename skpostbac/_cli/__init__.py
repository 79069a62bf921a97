"""The command line: a table of predictions in, posteriors, comparison and ranking out.

``main`` goes one way, and each step is a module: `_parser` (arguments), `_table` (a CSV file) or
`_example` (no file), `_document` (all results, as a plain dict), `_text` or JSON (the output).
What needs scikit-learn is imported when it is used, so that ``--help`` is quick.
"""

from skpostbac._cli._main import main

__all__ = ["main"]
