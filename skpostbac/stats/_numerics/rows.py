"""Records of arrays that have one row for each of some things."""

from dataclasses import Field
from typing import Any, ClassVar, Self


class Rows:
    """A frozen dataclass of arrays, of which some rows can be taken by any index of NumPy."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __getitem__(self, index: Any) -> Self:
        """Return some of the rows."""
        return type(self)(*[getattr(self, name)[index] for name in self.__dataclass_fields__])
