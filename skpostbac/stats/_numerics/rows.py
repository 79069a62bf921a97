"""Records of arrays with one row per item."""

from dataclasses import Field
from typing import Any, ClassVar, Self


class Rows:
    """A frozen dataclass of arrays whose rows can be selected by any NumPy index."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __getitem__(self, index: Any) -> Self:
        """Return some of the rows."""
        return type(self)(*[getattr(self, name)[index] for name in self.__dataclass_fields__])

    def ravel(self) -> Self:
        """Return one row for each number."""
        return type(self)(*[getattr(self, name).ravel() for name in self.__dataclass_fields__])
