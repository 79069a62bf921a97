"""The command line: evaluates a table of predictions and compares its classifiers.

`run` has the steps of ``main``, each in a module: `arguments` (the parser), `table`
(reads a file, or makes the example), `results` (posteriors, their comparison, and the
document of all results, which ``--json`` prints), `text` (the document as tables, and
these in a terminal), `page` (the same tables in a browser), `plots`, and `output`
(writes it all). Modules that need scikit-learn are imported when used, so that
``--help`` is quick.
"""

from skpostbac._cli.run import main
