"""Little words of English for texts that are derived."""

from collections.abc import Sequence


def joined(words: Sequence[str], word: str = "and") -> str:
    """Return words as a list is read: `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {word} {words[-1]}"


def with_article(noun: str) -> str:
    """Return a noun behind `a` or `an`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def spoken(name: str) -> str:
    """Return an identifier as it is spoken."""
    return name.replace("_", " ")
