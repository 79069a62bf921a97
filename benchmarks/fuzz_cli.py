"""Feed the command line with hostile tables and options, guided by coverage.

Every input must end with status 0, nothing on the standard error stream and an output without
control characters, or with status 2 and one line of error. Anything else, a traceback most of all,
stops the search and is written to a file that reproduces it. Run by hand, on Linux or macOS:

    python -m pip install -e . atheris
    python benchmarks/fuzz_cli.py -max_total_time=300 -rss_limit_mb=2048 -timeout=120

The options are libFuzzer's; its last line says how many inputs were tried. A directory as argument
holds inputs to start from, and collects those that reach new code.
"""

import contextlib
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["skpostbac"]):
    # What `main` imports on demand is imported here, to be instrumented too.
    import skpostbac._cli.results
    import skpostbac._cli.text  # noqa: F401
    from skpostbac._cli import main

# Long enough for all that a reader distinguishes, short enough for many inputs a second.
MAX_LENGTH = 1000
# What a table is made of, and what it should not be made of.
TOKENS = [
    *(b"a", b"b", b"c", b",", b",", b",", b"\n", b"\n", b"\n", b'"', b'""', b"\r", b"\r\n", b"\t"),
    *(b" ", b";", b"\0", b"\\", b"=1+1", b"nan", b"1", b"1.0", b"\x1b[2J", b"\x7f", b"\xff"),
    *map(str.encode, ["\ufeff", "\u202e", "\u2028", "\x85", "猫", "e\u0301", "\U0010ffff"]),
]
NUMBERS = ["0", "1", "0.5", "0.95", "1e-9", "1e-320", "1e308", "-1", "nan", "inf", "-0.0", "", "x"]
PRIORS = ["uniform", "jeffreys", "neutral", "reciprocal", "hierarchical", "flat"]
OPTIONS = {
    "level": NUMBERS,
    "rope": NUMBERS,
    "prior": [*PRIORS, *(f"{a},{b}" for a in NUMBERS for b in NUMBERS)],
    "labels": ["a,b", "b", "a,b,c", "a,a", ",", '"a'],
    "delimiter": [";", "tab", " ", "é", "", '"', ",,"],
    "classifier": ["a", "b", "y", ""],
}


def options(data):
    """Return some arguments beside the file."""
    chosen = [f"--truth={data.PickValueInList(['y', 'a', '', 'é'])}"]
    if data.ConsumeBool():
        chosen.append("--json")
    for name, values in OPTIONS.items():
        if data.ConsumeBool():
            chosen.append(f"--{name}={data.PickValueInList(values)}")
    return chosen


def table(data):
    """Return the bytes of a file: any, or tokens below a header."""
    if data.ConsumeBool():
        return data.ConsumeBytes(MAX_LENGTH)
    header = data.PickValueInList([b"y,a\n", b"y,a,b\n", b"\xef\xbb\xbfa,y,b\r\n", b"y;a\n", b""])
    return header + b"".join(TOKENS[i % len(TOKENS)] for i in data.ConsumeBytes(MAX_LENGTH))


def run(args):
    """Return exit status, output and errors of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(args)
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def check(args):
    """Fail unless the command line ends as it promises."""
    status, out, err = run(args)
    if status == 0:
        assert err == "", err
        assert all(char.isprintable() or char == "\n" for char in out), ascii(out)
        if "--json" in args:
            json.loads(out)
    else:
        assert (status, out) == (2, ""), (status, out)
        assert err.startswith("skpostbac: error: "), err
        assert err.endswith("\n"), err
        assert err[:-1].isprintable(), ascii(err)


def try_input(path):
    """Return the function that libFuzzer calls, which writes its tables to a path."""

    def try_bytes(raw):
        data = atheris.FuzzedDataProvider(raw)
        args = [str(path), *options(data)]
        path.write_bytes(table(data))
        check(args)

    return try_bytes


if __name__ == "__main__":
    warnings.simplefilter("always")  # on the standard error stream, where none belongs
    with tempfile.TemporaryDirectory() as directory:
        atheris.Setup(sys.argv, try_input(Path(directory) / "table.csv"))
        atheris.Fuzz()
