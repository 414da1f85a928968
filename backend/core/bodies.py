"""The base of values that the API shows as they are, and of all its other bodies."""

from collections.abc import Sequence
from functools import cache
from typing import Self

from pydantic import AliasPath, BaseModel, ConfigDict


class Schema(BaseModel):
    """Base of every response and request body; unknown keys of a request are refused.

    A response can be made from an object that has its fields as attributes, such as a row. Where an
    attribute has another name or place, its field has an AliasPath. In the OpenAPI document, an
    alias that is a plain text would replace the name of the field.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True, validate_by_name=True)

    @classmethod
    def of(cls, source: object, /, **values: object) -> Self:
        """Return the response with the attributes of an object and with further values.

        Args:
            values: by field. They replace attributes of the same names.
        """
        if not values:
            return cls.model_validate(source)
        read = dict(values)
        for name, path in _list_paths(cls):
            if name in values:
                continue
            found = getattr(source, name, _MISSING) if path is None else _follow(path, source, name)
            if found is not _MISSING:
                read[name] = found
        return cls.model_validate(read)


_MISSING = object()


@cache
def _list_paths(schema: type[Schema]) -> list[tuple[str, list[str] | None]]:
    """Return the fields of a response, each with its AliasPath."""
    return [
        (name, [str(part) for part in field.validation_alias.path])
        if isinstance(field.validation_alias, AliasPath)
        else (name, None)
        for name, field in schema.model_fields.items()
    ]


def _follow(path: Sequence[str], source: object, name: str) -> object:
    """Return the attribute at the end of a path, or else the attribute of this name."""
    found = source
    for part in path:
        found = getattr(found, part, _MISSING)
    return getattr(source, name, _MISSING) if found is _MISSING else found
