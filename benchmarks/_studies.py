"""What studies of all public calls share: the names, the members, and workers with limits.

A study asks for many calls. Each runs in a worker process that is killed, and replaced, if the call
takes too much CPU time; one that ends in a crash or waits forever is lost alone, too.
"""

import inspect
import multiprocessing as mp
import os
import resource
import signal
import time
from collections import deque
from datetime import date
from multiprocessing.connection import wait
from platform import python_version

import matplotlib as mpl
import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits

import skpostbac

MODULES = [module for _, module in inspect.getmembers(skpostbac, inspect.ismodule)]
# What the printed expressions need.
IMPORTS = """\
import datetime
from decimal import Decimal
from fractions import Fraction
import numpy as np, pandas as pd, polars as pl
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
""" + "\n".join(f"from {module.__name__} import *" for module in MODULES)
# Special methods that are called like others.
SPECIAL = ("__repr__", "__str__", "__neg__", "__hash__", "__reduce__", "_repr_html_")
# Tasks that are handed to a worker at once, and after how many it is replaced by a fresh one.
_BATCH, _LIFE = 20, 2000


def public():
    """Return all public objects by name, without the modules."""
    return {
        name: getattr(module, name) for module in MODULES for name in module.__all__
    }


def namespace():
    """Return the names of the printed expressions."""
    names = {}
    exec(IMPORTS, names)
    return names


def members(kind):
    """Return what the package, and no base class from elsewhere, defines on a class.

    By name: the signature of a method, or None for an attribute that is computed.
    """
    found = {}
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        ours = owner is not None and owner.__module__.startswith("skpostbac")
        if not ours or (name.startswith("_") and name not in SPECIAL):
            continue
        member = inspect.getattr_static(kind, name)
        if isinstance(member, classmethod | staticmethod):
            continue
        if inspect.isfunction(member):
            signature = inspect.signature(member)
            found[name] = signature.replace(
                parameters=[*signature.parameters.values()][1:]
            )
        elif isinstance(member, property) or hasattr(member, "func"):
            found[name] = None
    return found


def versions():
    """Say when and with what a study ran."""
    found = {
        "Python": python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
    }
    found |= {"scikit-learn": sklearn.__version__, "skpostbac": skpostbac.__version__}
    return f"{date.today()}, " + ", ".join(
        f"{name} {value}" for name, value in found.items()
    )


def with_error(share, n_sets):
    """Return a share of so many sets, and its standard error in brackets.

    A share of none or all has the error of half a set.
    """
    variance = max(share * (1 - share), 0.5 / n_sets)
    return f"{share:.3f} ({np.sqrt(variance / n_sets):.3f})"


def figures(found):
    """Return the mean of each column of a study, with its standard error in brackets."""
    found = np.asarray(found, dtype=float)
    n_sets = len(found)
    shown = []
    for column in found.T:
        if np.isin(column, (0, 1)).all():
            shown.append(with_error(column.mean(), n_sets))
        else:
            error = column.std() / np.sqrt(n_sets)
            shown.append(f"{column.mean():.3f} ({error:.3f})")
    return shown


def table(header, rows):
    """Return a table in reStructuredText."""
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    head, *body = [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([rule, head, rule, *body, rule])


def _worker(pipe, perform, cpu, memory, parent):
    """Perform tasks until none is left, telling what is about to be done and what came of it."""
    mpl.use("Agg")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # Threads that wait for one another count as CPU time.
    threadpool_limits(1)

    def tell(text):
        # The system counts whole seconds from the start of the process, and then kills it.
        end = int(np.ceil(time.process_time() + cpu))
        resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
        pipe.send(("begin", text))

    while True:
        while not pipe.poll(5):
            if os.getppid() != parent:
                return
        batch = pipe.recv()
        if batch is None:
            return
        for task in batch:
            pipe.send(("end", task, perform(task, tell)))


class _Worker:
    """A process, the tasks that it has, and what it said last."""

    def __init__(self, *options):
        context = mp.get_context("fork")
        self.pipe, theirs = context.Pipe()
        arguments = (theirs, *options, os.getpid())
        self.process = context.Process(target=_worker, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.tasks, self.done, self.text, self.since = deque(), 0, "", time.monotonic()

    def hand(self, tasks):
        self.tasks.extend(tasks)
        self.since = time.monotonic()
        self.pipe.send(list(tasks))

    def read(self):
        """Yield what is finished; raise EOFError if the process has ended."""
        try:
            while self.pipe.poll():
                kind, *content = self.pipe.recv()
                self.since = time.monotonic()
                if kind == "begin":
                    (self.text,) = content
                else:
                    self.tasks.popleft()
                    self.done += 1
                    yield *content, None
                    self.text = ""
        except ConnectionError:
            raise EOFError from None

    def end(self):
        """Stop the process, and say how it ended."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _cause(worker, patience):
    """Say why a worker did not finish."""
    if time.monotonic() - worker.since > patience:
        return "waits without end"
    worker.process.join(10)
    code = worker.process.exitcode
    if code == -signal.SIGXCPU:
        return "over the limit of CPU time"
    return f"ended the process: {signal.Signals(-code).name if code and code < 0 else code}"


def guarded(perform, tasks, **options):
    """Perform tasks in workers, and yield (task, result, lost) of each, in their order.

    `perform(task, tell)` calls `tell(text)` before anything that may not come back. If it does not,
    `result` is that text, and `lost` says what happened; else `lost` is None.

    Of the options, `jobs` is the number of workers; what is told may take `cpu` seconds, in one
    thread, and a task `memory` bytes of addresses.
    """
    early, position = {}, 0
    for task, result, lost in _finished(perform, tasks, **options):
        early[task] = result, lost
        while position < len(tasks) and tasks[position] in early:
            yield tasks[position], *early.pop(tasks[position])
            position += 1


def every(seconds):
    """Return a function that tells whether so many seconds have passed since it last said so."""
    last = [time.monotonic()]

    def is_time():
        if time.monotonic() - last[0] < seconds:
            return False
        last[0] = time.monotonic()
        return True

    return is_time


def _finished(perform, tasks, *, jobs, cpu, memory):
    """Perform tasks in workers, and yield what came of them, as they are finished."""
    waiting, options = deque(tasks), (perform, cpu, memory)
    patience = 20 * cpu + 60
    workers = [_Worker(*options) for _ in range(jobs)]
    try:
        while waiting or any(worker.tasks for worker in workers):
            for place, worker in enumerate(workers):
                if worker.tasks or not waiting:
                    continue
                if worker.done >= _LIFE:
                    worker.end()
                    worker = workers[place] = _Worker(*options)
                worker.hand(
                    [waiting.popleft() for _ in range(min(_BATCH, len(waiting)))]
                )
            busy = [worker for worker in workers if worker.tasks]
            wait([worker.pipe for worker in busy], timeout=1)
            for worker in busy:
                try:
                    yield from worker.read()
                    lost = time.monotonic() - worker.since > patience
                except EOFError:
                    lost = True
                if lost and worker.tasks:
                    yield worker.tasks.popleft(), worker.text, _cause(worker, patience)
                    waiting.extendleft(reversed(worker.tasks))
                    worker.end()
                    workers[workers.index(worker)] = _Worker(*options)
    finally:
        for worker in workers:
            worker.end()
