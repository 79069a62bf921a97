"""The version of the package, in the one place from which all others read it.

Imports nothing, so that a build reads it without the dependencies of the package.
"""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
