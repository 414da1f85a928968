"""The column type of typed JSON documents."""

from typing import Generic, TypeVar, cast

from pydantic import TypeAdapter
from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

T = TypeVar("T")


class ValidatedDocument(TypeDecorator[T], Generic[T]):
    """Base of the types of JSON columns. `kind` is the type of the documents."""

    impl = JSONB
    cache_ok = True

    def __init__(self, kind: type[T]) -> None:
        super().__init__(none_as_null=True)
        self.kind = kind
        # Built at the first use, so that commands which open no table start fast.
        self._adapter: TypeAdapter[T] | None = None

    @property
    def adapter(self) -> TypeAdapter[T]:
        """The validator of the documents."""
        if self._adapter is None:
            self._adapter = TypeAdapter(self.kind)
        return self._adapter

    def process_bind_param(self, value: T | None, __dialect: Dialect) -> object:
        """Return the document as JSON, validated."""
        if value is None:
            return None
        return self.adapter.dump_python(self.adapter.validate_python(value), mode="json")

    def coerce_compared_value(self, op: OperatorType | None, value: object) -> TypeEngine[object]:
        """Return the type of the other operand, such as a key or a part of a document."""
        return self.impl_instance.coerce_compared_value(op, value)


class Document(ValidatedDocument[T]):
    """A JSON column that holds a `kind`, validated when it is written and parsed when it is read.

    Args:
        kind: TypedDict, dataclass, pydantic model, or a list or dict of them.
    """

    cache_ok = True

    def process_result_value(self, value: object, __dialect: Dialect) -> T | None:
        """Return the stored document as its type."""
        # Most lists are empty, and validating them would take most of the time.
        return self.adapter.validate_python(value) if value else cast("T | None", value)


class PlainDocument(ValidatedDocument[T]):
    """A JSON column that holds a `kind` of plain JSON values, validated only when it is written.

    For documents that pages read by the thousand.
    """

    cache_ok = True
