"""The version of the package, defined in this place only.

Imports nothing, so that a build can read it without installed dependencies.
"""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
