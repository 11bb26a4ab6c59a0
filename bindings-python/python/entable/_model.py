"""The types of entities and calls: those of the official client, and two that keep what Python's own would lose."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from enum import Enum, EnumMeta
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Self

_FIRST_INSTANT = datetime(1, 1, 1, tzinfo=timezone.utc)
_TICKS_PER_MICROSECOND = 10


class _AnyCase(EnumMeta):
    """Members are found whatever the case of the name: ``EdmType.int64``."""

    def __getitem__(cls, name: str) -> Any:
        return super().__getitem__(name.upper())

    def __getattr__(cls, name: str) -> Any:
        # Only asked for names that are not there as they are written.
        try:
            return cls._member_map_[name.upper()]
        except KeyError:
            raise AttributeError(name) from None


class TextEnum(str, Enum, metaclass=_AnyCase):
    """An enum whose members are the texts themselves, as the client's are."""

    def __new__(cls, value: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        return member


class EdmType(TextEnum):
    """The types of the data model."""

    BINARY = "Edm.Binary"
    INT64 = "Edm.Int64"
    GUID = "Edm.Guid"
    DATETIME = "Edm.DateTime"
    STRING = "Edm.String"
    INT32 = "Edm.Int32"
    DOUBLE = "Edm.Double"
    BOOLEAN = "Edm.Boolean"


class UpdateMode(TextEnum):
    """What an update does to the properties that it does not name: ``REPLACE`` removes them, ``MERGE`` keeps them."""

    REPLACE = "replace"
    MERGE = "merge"


class TransactionOperation(TextEnum):
    """The operations of a transaction."""

    CREATE = "create"
    UPSERT = "upsert"
    UPDATE = "update"
    DELETE = "delete"


class Add:
    """A number that a merge adds to what the property has, as one step: ``{"Views": Add(1)}``. An extension.

    The property keeps its type, which has to hold the number exactly; one that is not there becomes the number.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Add) and self.value == other.value

    def __hash__(self) -> int:
        return hash((Add, self.value))

    def __repr__(self) -> str:
        return f"Add({self.value!r})"


class Remove:
    """What stands for a property that a merge takes out of the entity: ``{"Note": Remove()}``. An extension."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Remove)

    def __hash__(self) -> int:
        return hash(Remove)

    def __repr__(self) -> str:
        return "Remove()"


class MatchConditions(Enum):
    """What must hold of the stored entity for a write to be done.

    ``IfPresent`` (in any version) and ``IfMissing`` are extensions: the client refuses them. ``IfModified`` is refused,
    as by the client.
    """

    Unconditionally = 1
    IfNotModified = 2
    IfModified = 3
    IfPresent = 4
    IfMissing = 5


class EntityMetadata(TypedDict):
    """What ``TableEntity.metadata`` holds."""

    etag: str | None
    timestamp: datetime | None


class EntityProperty(NamedTuple):
    """A value with its type: says outright what the type of the Python object would not."""

    value: Any
    edm_type: str | EdmType


class TableItem:
    """A table, as a listing gives it."""

    __slots__ = ("name",)

    name: str

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"TableItem({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, TableItem) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)


class Int64(int):
    """An ``Edm.Int64``: an ``int`` that goes back as what it came as.

    A plain ``int`` has no type of its own: the store gives it the one that the stored property has, if it fits, else
    the smallest that holds it.
    """

    __slots__ = ()

    @property
    def value(self) -> int:
        """The number as a plain ``int``."""
        return int(self)

    @property
    def edm_type(self) -> EdmType:
        """The type that it has: ``EdmType.INT64``."""
        return EdmType.INT64

    def __repr__(self) -> str:
        return f"Int64({int(self)})"

    def __str__(self) -> str:
        return int.__repr__(self)


class DateTime(datetime):
    """A ``datetime`` with the tenths of microseconds that the data model has and Python's own has not.

    The store gives it where a plain ``datetime`` would lose them. It compares and calculates as the ``datetime`` that
    it is; what is calculated from it is whole microseconds again.
    """

    __slots__ = ("_tenths",)

    _tenths: int

    @classmethod
    def from_ticks(cls, ticks: int) -> DateTime:
        """The instant of this tick: 100 ns since 0001-01-01T00:00:00Z."""
        microseconds, tenths = divmod(ticks, _TICKS_PER_MICROSECOND)
        whole = _FIRST_INSTANT + timedelta(microseconds=microseconds)
        made = cls.combine(whole.date(), whole.timetz())
        made._tenths = tenths
        return made

    @property
    def ticks(self) -> int:
        """Ticks of 100 ns since 0001-01-01T00:00:00Z. Without a zone it means local time."""
        aware = self if self.tzinfo else self.astimezone(timezone.utc)
        since = datetime.__sub__(aware, _FIRST_INSTANT)
        return since // timedelta(microseconds=1) * _TICKS_PER_MICROSECOND + getattr(self, "_tenths", 0)

    @property
    def tables_service_value(self) -> str:
        """The text as the service writes it, under the name that the client has for it."""
        utc = self.astimezone(timezone.utc)
        fraction = f".{utc.microsecond:06}{getattr(self, '_tenths', 0)}".rstrip("0").rstrip(".")
        return f"{utc.replace(microsecond=0, tzinfo=None).isoformat()}{fraction}Z"

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        made = super().__reduce_ex__(protocol)
        return (*made[:2], getattr(self, "_tenths", 0))

    def __setstate__(self, tenths: int) -> None:
        self._tenths = tenths
