"""The agent's policy, derived: it states every duty that is graded (verification rulebook).

Lines of the template `agent_policy.md` that begin with `[flag]` stand only where that holds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from crab_graph.domain.booking_tools import KindDesk
from crab_graph.domain.clock_words import clock_words
from crab_graph.domain.declaration import Declaration, Each, Rule
from crab_graph.domain.english import joined, spoken
from crab_graph.settings import Toolset
from crab_graph.text.articles import with_article
from crab_graph.tools.fees import MOST_PERCENT

_FLAG = re.compile(r"\[(\w+)\] ")
_GAP = re.compile(r"(^- .*\n)\n(?=- )", re.MULTILINE)
"""What is left out leaves no gap in a list."""

_OF_REQUEST = re.compile(r"\{r\.(\w+)[^}]*\}")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def agent_policy(
    declaration: Declaration,
    desks: Mapping[str, KindDesk],
    toolset: Toolset,
    today: str,
    mishaps: bool = False,
    fees: bool = False,
) -> str:
    """Return the agent's instructions under a toolset, given today's date.

    With `mishaps` they say what to do where the world breaks something, with `fees` what lists
    leave out, as in some tasks; instructions of a domain's own get that part at their end.
    """
    words = PolicyWords(declaration, desks, toolset).words(mishaps=mishaps, fees=fees)
    text = declaration.policy or _written(_template(), words)
    if declaration.policy and (mishaps or fees):
        text = f"{text.rstrip()}\n\n{_written(_added_part(), words)}\n"
    return text.replace("{today}", today)


def _written(template: str, words: Mapping[str, str]) -> str:
    lines = []
    for line in template.splitlines():
        flag = _FLAG.match(line)
        if flag is None or words.get(flag[1]):
            lines.append(line[flag.end() if flag else 0 :].format_map(words))
    return _GAP.sub(r"\1", re.sub(r"\n{3,}", "\n\n", "\n".join(lines)))


@cache
def _template() -> str:
    return files(__package__).joinpath("agent_policy.md").read_text("utf-8")


def _added_part() -> str:
    added = ("[fees", "[mishaps")
    return "\n\n".join(line for line in _template().splitlines() if line.startswith(added))


class PolicyWords:
    """What the template is filled with."""

    def __init__(
        self, declaration: Declaration, desks: Mapping[str, KindDesk], toolset: Toolset
    ) -> None:
        """Fill it for a toolset."""
        self._declaration = declaration
        self._desks = desks
        self._toolset = toolset
        self._paid = [desk for desk in desks.values() if not desk.view.kind.is_free]
        self._people = declaration.people

    def words(self, *, mishaps: bool = False, fees: bool = False) -> dict[str, str]:
        """Return the words by name; a flag is set where its words are not empty."""
        declaration, paid = self._declaration, self._paid
        person = self._people.noun if self._people else "person"
        titles = [slot.title for slot in declaration.slots]
        free = [desk for desk in self._desks.values() if desk.view.kind.is_free]
        budget = " and budget" if declaration.budget else ""
        return {
            "name": declaration.name.capitalize(),
            "intro": declaration.intro or self._intro(),
            "today": "{today}",
            "prices": "prices, " if paid else "",
            "identity": self._identity(person),
            "wishes": f"{joined(titles) if not budget else ', '.join(titles)}{budget}",
            "job": declaration.job,
            "a_job": with_article(declaration.job),
            "count": f"One booking for each of the {_number(len(titles))} parts:",
            "parts": joined(titles),
            "person": person,
            "together": "; ".join(self._together(person)),
            "person_units": joined(self._person_units()).capitalize(),
            "rules": "\n".join(f"- {one}" for one in self._rules()),
            "duties": "\n".join(f"- {one}" for one in declaration.duties),
            "paid": "yes" if paid else "",
            "unpaid": "" if paid else "yes",
            "free": self._free(free),
            "costs": " + ".join(self._costs()),
            "budget": " A budget covers all of it." if budget else "",
            "told": self._told(),
            "exempt": self._exempt(),
            "hours": "; ".join(self._hours()),
            "share": self._share(),
            "marks": self._marks(),
            **self._changing(),
            **(self._mishaps() if mishaps else {}),
            **(self._fees() if fees else {}),
        }

    def _mishaps(self) -> dict[str, str]:
        """Return what is said of the world's faults: of prices and looked-up bookings, if any."""
        tools = [desk.kind_tools().details for desk in self._desks.values()]
        details = joined([f"`{one}`" for one in tools if one is not None], "or")
        paid = "yes" if self._paid else ""
        slips = any(desk.can_mend_slips(self._toolset) for desk in self._desks.values())
        return {
            "mishaps": "yes",
            "mishaps_paid": paid,
            "mishaps_details": details,
            "mishaps_slips": "yes" if slips else "",
            "details": details,
        }

    def _fees(self) -> dict[str, str]:
        """Return what is said of fees that lists leave out: of what, and which tools tell them."""
        desks = [desk for desk in self._desks.values() if desk.view.may_leave_fees_out]
        return {
            "fees": joined([spoken(desk.view.kind.offer.name) for desk in desks]),
            "fees_most": str(MOST_PERCENT),
            "fees_tools": joined([f"`{desk.price_name}`" for desk in desks]),
        }

    def _intro(self) -> str:
        parts = joined([with_article(slot.title) for slot in self._declaration.slots])
        return f"You book a complete {self._declaration.job}: {parts}."

    def _identity(self, person: str) -> str:
        if not self._person_units():
            return ""
        return f"the full names and dates of birth of all {person}s, "

    def _person_units(self) -> list[str]:
        holds = (desk for desk in self._desks.values() if isinstance(desk.view.offer.holds, Each))
        return [desk.orders.taken for desk in holds]

    def _together(self, person: str) -> Iterator[str]:
        size = self._people.size if self._people else None
        for desk in self._desks.values():
            view, taken = desk.view, desk.orders.taken
            if isinstance(view.offer.holds, Each):
                key = view.kind.offer.key
                yield f"all {taken} of {with_article(desk.kind_noun)} booking come from one `{key}`"
            elif view.kind.places is not None:
                yield f"{with_article(desk.kind_noun)} booking is one {view.noun} that is large" + (
                    " enough for all"
                )
            elif size is not None and view.offer.units == size:
                article = with_article(desk.kind_noun)
                yield f"{article} booking has one of its {taken} for every {person}"

    def _rules(self) -> Iterator[str]:
        titles = {slot.id: slot.title for slot in self._declaration.slots}
        for slot in self._declaration.slots:
            if (held := slot.stay) is not None:
                begins, ends = (_day_of(ref, titles) for ref in (held.begins, held.ends))
                yield (
                    f"The {slot.title} is booked from {begins} (`{held.first}`) to {ends}"
                    f" (`{held.last}`)."
                )
        for rule in self._declaration.rules:
            if not rule.is_optional:
                yield self._sentence(rule)

    def _sentence(self, rule: Rule) -> str:
        sentence = _OF_REQUEST.sub("as many", rule.sentence)
        asked = " as the customer wants" if sentence != rule.sentence else ""
        return f"{sentence[:1].upper()}{sentence[1:]}{asked}."

    def _costs(self) -> Iterator[str]:
        for desk in self._paid:
            offer = desk.view.offer
            titles = [slot.title for slot in self._declaration.slots if slot.offer is offer]
            times = f" × {offer.unit}s" if offer.units else ""
            yield f"price{times} of the {joined(titles)}"

    def _told(self) -> str:
        said = []
        for is_named, what in ((False, "the id"), (True, "the name and the id")):
            desks = [desk for desk in self._desks.values() if _is_named(desk) is is_named]
            titles = joined([_titles(self._declaration, desk) for desk in desks])
            keys = ", ".join(f"`{desk.view.kind.entity.key}`" for desk in desks)
            said += [f"{what} of the {titles} ({keys})"] if desks else []
        if self._paid:
            said += ["their exact prices", f"the exact total of the {self._declaration.job}"]
        return joined(said)

    def _exempt(self) -> str:
        """Return which ids no check asks for, as what they are parts of is told."""
        parts = [desk.view.kind.offer.key for desk in self._desks.values() if desk.view.is_part]
        keys = joined([f"`{key}`" for key in parts], "or")
        return f" No {keys} needs to be told." if keys else ""

    def _hours(self) -> Iterator[str]:
        """Yield what words for times of day mean, each with the times of which it holds."""
        found: dict[str, dict[str, list[str]]] = {}
        for desk in self._desks.values():
            for one in clock_words(desk.view.offer):
                nouns = found.setdefault(one.text, {}).setdefault(one.shown, [])
                nouns.append(with_article(desk.kind_noun))
        for text, times in found.items():
            said = joined([f"{shown} of {joined(nouns)}" for shown, nouns in times.items()])
            yield f"{text} ({said})"

    def _share(self) -> str:
        """Return which slots count together, since one kind fills them."""
        shared = []
        for desk in self._desks.values():
            slots = [one.title for one in self._declaration.slots if one.offer is desk.view.offer]
            if len(slots) > 1:
                shared.append(f"; {joined(slots)} count together")
        return "".join(shared)

    def _marks(self) -> str:
        units = dict.fromkeys(
            "per person"
            if isinstance(desk.view.offer.holds, Each)
            else f"per {desk.view.offer.unit}"
            for desk in self._paid
            if desk.view.offer.units
        )
        if not units:
            return ""
        return f"Say whether a price is {', '.join(units)}, or for the whole booking. "

    @staticmethod
    def _free(free: Sequence[KindDesk]) -> str:
        if not free:
            return ""
        kinds = joined([desk.kind_noun for desk in free], "or")
        return f" What costs nothing ({kinds}) is confirmed at once, and never charged."

    def _changing(self) -> dict[str, str]:
        """Return what is said of cancelling and changing bookings."""
        final, cancelled, changed = (
            self._split("cancel", False),
            self._split("cancel"),
            (self._split("change")),
        )
        refunded = "; what was charged is refunded" if self._paid else ""
        total = ""
        if self._paid:
            total = " and gets a new total. A charged booking cannot be changed: cancel it and book"
            total += " anew"
        counts = ""
        if changed:
            amount = ": state the new amount, and have it approved before you charge it"
            counts = " A change counts as a booking in all that you must say, ask or offer here"
            counts += f"{amount if self._paid else ''}."
        writes = ["booking", *(["charge"] if self._paid else [])]
        writes += ["cancellation"] if cancelled else []
        pending = "A pending booking" if self._paid else "A booking"
        return {
            "some_final": "yes" if final else "",
            "final": f"{joined(final).capitalize()} bookings" if cancelled else "Bookings",
            "some_cancel": "yes" if cancelled else "",
            "cancelled": f"{joined(cancelled).capitalize()} bookings" if final else "Every booking",
            "refunded": refunded,
            "some_change": "yes" if changed else "",
            "changed": pending if not final else f"{pending} ({joined(changed, 'or')})",
            "changes": "; ".join(self._changes()),
            "new_total": total,
            "or_change": " and change" if changed else "",
            "counts": counts,
            "writes": joined(writes, "or"),
        }

    def _split(self, what: str, can: bool = True) -> list[str]:
        desks = self._desks.values()
        return [desk.kind_noun for desk in desks if desk.can(what, self._toolset) is can]

    def _changes(self) -> Iterator[str]:
        for desk in self._desks.values():
            if desk.can("change", self._toolset):
                arguments = desk.orders.arguments(to_change=True)
                names = joined([spoken(one.name) for one in arguments], "or")
                yield f"other {names} of {with_article(desk.kind_noun)}"


def _titles(declaration: Declaration, desk: KindDesk) -> str:
    titles = [slot.title for slot in declaration.slots if slot.offer is desk.view.offer]
    return joined(titles)


def _is_named(desk: KindDesk) -> bool:
    return desk.view.kind.named.name_column is not None


def _day_of(ref: str, titles: Mapping[str, str]) -> str:
    slot, _, field = ref.partition(".")
    return f"the {spoken(field)} of the {titles[slot]}"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
