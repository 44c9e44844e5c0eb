"""Immutable values for the model, without the 25 ms that `dataclasses` would cost every commit."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_):
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """Give an annotated class what a frozen dataclass has: __init__, __eq__, __hash__, __repr__, no assignment."""
    fields = tuple(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in fields if name in cls.__dict__}

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        if len(given) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {len(given)}")
        found = {**defaults, **dict(zip(fields, given, strict=False)), **named}
        if len(found) != len(fields):
            odd = sorted(set(found) ^ set(fields))
            raise TypeError(f"{cls.__name__}: missing or unknown: {', '.join(odd)}")
        self.__dict__.update(found)

    def __setattr__(_self: Any, name: str, _: Any) -> None:
        raise AttributeError(f"{cls.__name__}.{name} cannot be changed")

    def __eq__(self: Any, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self: Any) -> int:
        return hash(tuple(self.__dict__[name] for name in fields))

    def __repr__(self: Any) -> str:
        return f"{cls.__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in fields)})"

    for method in (__init__, __setattr__, __eq__, __hash__, __repr__):
        setattr(cls, method.__name__, method)
    cls.__match_args__ = fields  # type: ignore[attr-defined,misc,unused-ignore]
    return cls


def replace(old: T, /, **changes: Any) -> T:
    """The same value with some fields changed."""
    return type(old)(**{**old.__dict__, **changes})
