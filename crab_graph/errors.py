"""The errors a caller can act on.

CrabGraphError            one clear line for the user, exit code 2
├── UsageError            an argument out of range or in the wrong form
│   └── UnknownName       no such agent, condition, persona, task or domain
├── DeclarationError      a domain that cannot be right, with a line for each problem
├── BenchmarkError        a missing, foreign, half-written or damaged benchmark
├── RunError              a missing, foreign or damaged run directory
│   ├── ResumeMismatch    a run that was begun with other settings
│   ├── UntrustedRun      a run that this user did not write, and has not said to trust
│   └── StorageError      what is to be kept cannot be written, as on a full disk
├── TranscriptError       a transcript that cannot be read, with its line
├── CertificationError    the ways of counting a task's solutions disagree
├── UnsatisfiableTask     a request that no combination of objects can meet
│   └── TooLargeToEnumerate   one whose solutions are too many to list
├── ToolCallError         a tool call an agent can correct; returned to it, never raised at a user
└── MissingExtra          an optional dependency that is not installed

NoticeWarning             what one should know beside a result; a line of its own of a command
└── DamageWarning         a part of a file is damaged; what is intact beside it was read
    └── MendedWarning     and what was damaged has been put right
"""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches


class CrabGraphError(Exception):
    """Base of every error that is reported as one line, without a traceback."""


class NoticeWarning(UserWarning):
    """What one should know beside a result; a command says it in a line on stderr."""


class DamageWarning(NoticeWarning):
    """A part of a file is damaged or was changed; what is intact beside it was read.

    A command exits with 2 when it is done.
    """


class MendedWarning(DamageWarning):
    """What was damaged has been made again or set aside."""


class UsageError(CrabGraphError):
    """An argument is out of range or malformed."""


class UnknownName(UsageError):
    """A name that is in none of the known lists; the message offers the closest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str | None = None) -> None:
        choices = sorted(known)
        # Ids that begin alike are about the same thing: who errs, errs towards the end.
        close = get_close_matches(name, choices, n=24)
        close.sort(key=lambda one: _shared_beginning(one, name), reverse=True)
        del close[3:]
        if hint is None:
            hint = f"did you mean {', '.join(close)}?" if close else f"known: {_shortened(choices)}"
        super().__init__(f"unknown {kind} '{name}'; {hint}")


def _shared_beginning(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


class DeclarationError(CrabGraphError):
    """What is declared of a domain cannot be right; `problems` has all that is wrong with it."""

    def __init__(self, domain: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"domain '{domain}': {one}" for one in self.problems))


class BenchmarkError(CrabGraphError):
    """A benchmark directory cannot be used."""


class RunError(CrabGraphError):
    """A run directory cannot be used."""


class ResumeMismatch(RunError):
    """A run was begun under other settings than those now asked for."""

    def __init__(self, message: str, differences: Iterable[str] = ()) -> None:
        self.differences = tuple(differences)
        super().__init__("".join([message, *(f"\n  {line}" for line in self.differences)]))


class UntrustedRun(RunError):
    """A run from somebody else: nothing of it was imported, and nobody contacted."""

    def __init__(self, directory: object, does: str, why: str = "") -> None:
        because = f" ({why})" if why else ""
        self.found = f"{directory}: you did not write this run{because}; going on with it {does}"
        super().__init__(f"{self.found}; if you know where it comes from, give `trust=True`")


class StorageError(RunError):
    """What has to be kept cannot be written or read, as on a full disk."""


class TranscriptError(CrabGraphError):
    """A transcript line is malformed."""


class UnsatisfiableTask(CrabGraphError):
    """No combination of objects satisfies a task's constraints."""


class TooLargeToEnumerate(UnsatisfiableTask):
    """The solutions that SampleCSP is to enumerate are too many, or take too long to find."""

    def __init__(self) -> None:
        super().__init__(
            "there is too much for SampleCSP to enumerate; use the sampling strategy 'shuffle'"
        )


class CertificationError(CrabGraphError):
    """The ways of counting a task's solutions disagree."""


class ToolCallError(CrabGraphError):
    """A tool refuses a call; `code` is a stable word, the message says how to mend the call."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class MissingExtra(CrabGraphError):
    """A feature needs an optional dependency."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency: pip install 'crab-graph[{extra}]'"
        )


def _shortened(names: list[str], limit: int = 12) -> str:
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown}, … ({len(names)} in all)"


def described(error: BaseException) -> tuple[bool, str]:
    """Return an error as text, for not every exception survives the way to another process."""
    if isinstance(error, CrabGraphError):
        return True, str(error)
    return False, "".join(traceback.format_exception(error))
