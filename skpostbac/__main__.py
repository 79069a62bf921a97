"""Run the command line with ``python -m skpostbac``."""

import sys

from skpostbac._cli import main

if __name__ == "__main__":
    sys.exit(main())
