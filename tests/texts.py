"""Reports without the breaks of lines."""


def sentences(result):
    """Return the report of a result, of which each sentence is on a line of its own."""
    return result.report().replace("\n  ", " ")
