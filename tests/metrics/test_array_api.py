"""Labels and weights as arrays of other libraries: the same as with NumPy."""

import numpy as np
import pytest

from skpostbac.metrics import (
    ClassCounts,
    class_counts,
    paired_counts,
)

DTYPES = ("bool", "int8", "uint8", "int64", "float32", "float64")
Y_TRUE, Y_PRED = np.array([0, 1, 2, 1, 0, 2, 1]), np.array([0, 1, 1, 1, 2, 2, 5])
WEIGHT = np.array([1, 2, 0.5, 1, 1, 3, 1])


@pytest.fixture(params=["array_api_strict", "torch"])
def asarray(request):
    """Return the function that makes an array of a library out of one of NumPy."""
    library = pytest.importorskip(request.param, reason=f"needs {request.param}")
    return library.asarray


@pytest.fixture
def torch():
    """Return PyTorch."""
    return pytest.importorskip("torch", reason="needs torch")


@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_are_those_of_numpy(asarray, dtype):
    """For true labels, predictions, or both."""
    labels = [array.astype(dtype) for array in (Y_TRUE, Y_PRED)]
    y_true, y_pred = map(asarray, labels)
    expected = class_counts(*labels)
    assert class_counts(y_true, y_pred) == expected
    assert class_counts(labels[0], y_pred) == expected
    assert class_counts(y_true, labels[1].tolist()) == expected
    assert paired_counts(y_true, {"A": y_pred}) == paired_counts(
        labels[0], {"A": labels[1]}
    )


def test_options_are_arrays_too(asarray):
    """Classes to count, weights and counts."""
    options = {"labels": np.array([2, 7, 0]), "sample_weight": WEIGHT}
    arrays = {name: asarray(option) for name, option in options.items()}
    expected = class_counts(Y_TRUE, Y_PRED, weight_type="case", **options)
    found = class_counts(asarray(Y_TRUE), asarray(Y_PRED), weight_type="case", **arrays)
    assert found == expected
    again = ClassCounts(
        *map(
            asarray, (options["labels"], expected.correct.copy(), expected.total.copy())
        )
    )
    assert again == expected


@pytest.mark.parametrize("shape", [(), (2, 2)], ids=["scalar", "matrix"])
def test_other_shapes_are_refused(asarray, shape):
    """With the message of arrays of NumPy."""
    with pytest.raises(ValueError, match=r"^y_pred: should be a 1d array"):
        class_counts(Y_TRUE, asarray(np.zeros(shape, int)))


def test_strided_tensors_are_taken(torch):
    """A part of a tensor shares its memory."""
    labels = torch.asarray(np.stack([Y_TRUE, Y_PRED], axis=1))
    assert class_counts(labels[:, 0], labels[:, 1]) == class_counts(Y_TRUE, Y_PRED)
    flipped = torch.asarray(Y_TRUE).flip(0)
    assert class_counts(flipped, Y_PRED) == class_counts(Y_TRUE[::-1], Y_PRED)


def test_what_numpy_cannot_read_is_refused(torch):
    """Gradients would be lost, other memory is out of reach, and some dtypes are unknown."""
    ones = torch.ones(2)
    bad = [
        ones.clone().requires_grad_(),
        ones.to("meta"),
        ones.bfloat16(),
        ones.to_sparse(),
    ]
    for tensor in bad:
        with pytest.raises(
            TypeError, match=r"^y_true must be an array that NumPy can read"
        ):
            class_counts(tensor, [1, 1])
        with pytest.raises(
            TypeError, match=r"^sample_weight must be an array that NumPy can read"
        ):
            class_counts([1, 1], [1, 1], sample_weight=tensor)


class ElsewhereArray:
    """An array on another device, with a dtype of NumPy, as CuPy has it."""

    ndim, dtype, shape = 1, np.dtype(np.int64), (2,)

    def __len__(self):
        return 2

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion")

    def __dlpack__(self, **options):
        raise BufferError("device")

    def __dlpack_device__(self):
        return 2, 0


@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_labels_on_another_device_are_refused_by_name(name):
    """Whatever their dtype; the message is not that of the library."""
    labels = {"y_true": [0, 1], "y_pred": [0, 1], name: ElsewhereArray()}
    with pytest.raises(
        TypeError, match=f"^{name} must be an array that NumPy can read"
    ):
        class_counts(**labels)
