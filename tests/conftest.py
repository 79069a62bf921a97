"""Settings shared by all tests."""

import os

import hypothesis

# The makers of reference values are run by hand, and may need more than the tests do.
collect_ignore_glob = ["reference/make_*.py", "reference/generators"]

# No window is opened, and none is needed.
os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a property may pay for an import or a cache: no deadline.
# The examples are the same in every run; a longer search is started by hand, with
# --hypothesis-profile=default --hypothesis-seed=N.
hypothesis.settings.register_profile("skpostbac", deadline=None, derandomize=True)
hypothesis.settings.load_profile("skpostbac")
