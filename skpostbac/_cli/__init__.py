"""The command line: evaluates a table of predictions and compares its classifiers.

`run` has the steps of ``main``: it reads the options (`arguments`) and a table
(`table`, from the files of `reading`, of which `joining` makes one, or the `example`),
answers the question that the options ask (`labels`, by their `evaluation` and `gates`,
`report`, `scores`, or `verdicts` of a judge), and writes the answer (`output`). An
`answer` has records, which JSON has as they are, and `text` and `page` (with `plots`)
as tables.
Modules that need scikit-learn are imported when used, so that ``--help`` is quick.
"""

from skpostbac._cli.run import main
