"""The one kind of error that a user of the command line meets."""

from __future__ import annotations


class InputError(Exception):
    """What the user can mend; the message is one line."""
