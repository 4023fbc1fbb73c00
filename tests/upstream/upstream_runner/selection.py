"""Which upstream tests concern a swapped class: found by looking at what the test's code can reach.

A test is selected when its code, the functions of its module that it calls, its fixtures or its parameters
mention a swapped class by name, hold the class, an instance of it, or its name as a string. This may select
too much; the run itself then counts which tests really built one of our objects.
"""

import functools
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import pytest

_DEPTH = 4  # nesting of containers that is searched


class Reach:
    """Answers whether a test item can reach one of the swapped classes or functions."""

    def __init__(self, swapped: Iterable[Any]) -> None:
        swapped = tuple(swapped)
        self._classes = tuple(each for each in swapped if isinstance(each, type))
        self._functions = tuple(each for each in swapped if not isinstance(each, type))
        self._names = {each.__name__ for each in swapped}

    def selects(self, item: pytest.Function) -> bool:
        if any(self.holds(value) for value in parameters(item).values()):
            return True
        makers = [value for value in parameters(item).values() if isinstance(value, FunctionType)]
        functions = [item.function, *makers, *_fixture_functions(item)]
        return any(self._function_reaches(function, set()) for function in functions)

    def holds(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is, contains or names a swapped class."""
        if isinstance(value, str):
            return value in self._names
        if isinstance(value, type):
            return issubclass(value, self._classes)
        if isinstance(value, self._classes) or any(value is function for function in self._functions):
            return True
        if depth == _DEPTH:
            return False
        if isinstance(value, functools.partial):
            value = [value.func, *value.args, *value.keywords.values()]
        if isinstance(value, dict):
            value = [*value.keys(), *value.values()]
        if isinstance(value, list | tuple | set | frozenset):
            return any(self.holds(part, depth + 1) for part in value)
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self.holds(list(vars(value).values()), depth + 1)
        return False

    def _function_reaches(self, function: Any, visited: set[CodeType]) -> bool:
        while not isinstance(function, FunctionType):
            if isinstance(function, MethodType):
                function = function.__func__
            elif hasattr(function, "__wrapped__"):
                function = function.__wrapped__
            else:
                return False
        if hasattr(function, "__wrapped__") and self._function_reaches(function.__wrapped__, visited):
            return True
        if function.__code__ in visited:
            return False
        visited.add(function.__code__)
        for name in code_names(function.__code__):
            if name in self._names:
                return True
            value = function.__globals__.get(name)
            same_module = getattr(value, "__module__", None) == function.__module__
            if same_module and callable(value) and not isinstance(value, type):
                if self._function_reaches(value, visited):
                    return True
            elif not isinstance(value, str) and self.holds(value):
                return True
        return False


def code_names(code: CodeType) -> Iterator[str]:
    """Every name and string constant that a code object and the functions inside it mention."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_names(constant)
        elif isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (part for part in constant if isinstance(part, str))


def parameters(item: pytest.Function) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def mentions_private(item: pytest.Function) -> bool:
    """Whether the test's own code or a parameter names something with a leading underscore, or is made of it.

    Modules count with every part of their path: those that the code imports, and those of the parameters' classes.
    """
    values = list(parameters(item).values())
    strings = [value for value in values if isinstance(value, str)]
    modules = [type(value).__module__ for value in values if not isinstance(value, type)]
    own_code = getattr(item.function, "__wrapped__", item.function).__code__
    return any(
        part.startswith("_") and not part.startswith("__") and part.isidentifier()
        for name in (*code_names(own_code), *strings, *modules)
        for part in name.split(".")
    )


def _fixture_functions(item: pytest.Function) -> Iterator[Any]:
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        for definition in definitions:
            if definition.func.__module__ == item.module.__name__:
                yield definition.func
