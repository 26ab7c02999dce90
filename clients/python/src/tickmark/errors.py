"""Exceptions of failed calls. All are TickmarkError."""

from __future__ import annotations

from typing import Any, cast

from ._wire import ERROR_CODES, ErrorCode, Problem, ProblemErrors

__all__ = [
    "ApiError",
    "ConnectionFailed",
    "CsvError",
    "EngineStopped",
    "ERROR_CODES",
    "ErrorCode",
    "LiveRefused",
    "MissingPackage",
    "TickError",
    "TickmarkError",
    "TimedOut",
    "UnexpectedAnswer",
    "UsageError",
]


class TickmarkError(Exception):
    """Every failed call raises one. It can be pickled: workers send theirs to the program that waits."""

    def __reduce__(self) -> Any:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[TickmarkError], args: tuple[Any, ...], state: dict[str, Any]) -> TickmarkError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class UsageError(TickmarkError, ValueError):
    """An argument that breaks a rule; nothing was sent."""


class MissingPackage(TickmarkError, ImportError):
    """A method needs a package that is not installed."""


class ApiError(TickmarkError):
    """The service, or the engine, refused the request, with a reason. `code` never changes between releases."""

    def __init__(self, problem: Any, retry_after_s: float | None = None) -> None:
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = cast(Problem, problem)
        self.code = cast(ErrorCode, problem["code"])
        self.status: int = problem["status"]
        self.detail: str = problem["detail"]
        #: The id to quote to the operator of the service; empty for one of the engine.
        self.request_id: str = problem["requestId"]
        #: None: waiting does not help, or the time is not known.
        self.retry_after_s: float | None = problem.get("retryAfterSeconds", retry_after_s)
        #: The broken rules of request.invalid: pointer, code, detail, hint.
        self.field_errors: list[ProblemErrors] = problem.get("errors", [])


class EngineStopped(TickmarkError):
    """The process of the engine has ended, or failed: the next call of an Engine starts a new one, and a series has to be opened again."""


class ConnectionFailed(TickmarkError):
    """No answer arrived: refused, reset, or no such host."""


class TimedOut(TickmarkError):
    """The whole call, its retries and waits included, took longer than its time limit."""


class LiveRefused(TickmarkError):
    """The service ended a live connection for good: the key was not accepted, was revoked or has ended."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"The service closed the connection with {code}{': ' + reason if reason else ''}.")
        #: Close code of the WebSocket.
        self.code = code


class CsvError(TickmarkError, ValueError):
    """A CSV that cannot be read; the message has its line."""


class TickError(UsageError):
    """A tick or bar that breaks a rule; none of its call was sent."""

    def __init__(self, index: int, field: str, rule: str, value: object, what: str = "tick") -> None:
        super().__init__(f"{what} {index}: {field} {rule}; it is {value!r}")
        #: Place of the tick in the call, from 0; "time", "price", "bid" or "ask"; of bars also "open", "high", "low", "close" or "bar".
        self.index = index
        self.field = field


class UnexpectedAnswer(TickmarkError):
    """The response is not from tickmark: most often a proxy's page."""

    def __init__(self, status: int, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(f"Status {status} with a body that is not of tickmark: {text[:100]!r}.")
        self.status = status
        self.retry_after_s = retry_after_s
