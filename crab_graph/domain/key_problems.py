"""What is wrong with the keys of tools' answers: two values of one answer that would share one."""

from collections.abc import Iterator
from typing import NamedTuple

from crab_graph.domain.booking_tools import KindDesk
from crab_graph.domain.declaration import Count, Each, Stay
from crab_graph.domain.english import joined
from crab_graph.domain.field_problems import repeated
from crab_graph.domain.narrowing import Narrowing
from crab_graph.domain.stays import Calendar
from crab_graph.tools.tables import Table


class _Key(NamedTuple):
    """A key of an answer; `of` is what an author called so, a field or `holds`, if anything."""

    name: str
    of: str = ""


def key_problems(desk: KindDesk) -> Iterator[str]:
    """Yield what of an offer has a key in an answer under which something else stands, too."""
    found: dict[str, str] = {}
    for tool, keys in _Answers(desk).all():
        for name in repeated(key.name for key in keys):
            owners = joined([key.of for key in keys if key.name == name and key.of])
            if owners:
                line = f"`{tool}` answers with two things under '{name}'; choose another name"
                found.setdefault(owners, f"offer '{desk.view.offer.name}', {owners}: {line}")
    yield from found.values()


class _Answers:
    """The keys that stand beside each other in what the tools of a kind of booking answer."""

    def __init__(self, desk: KindDesk) -> None:
        self._desk, self._view, self._holds = desk, desk.view, desk.view.offer.holds

    def all(self) -> Iterator[tuple[str, list[_Key]]]:
        """Yield them with the tool."""
        view, finder = self._view, self._desk.finder
        entity, offer = view.kind.entity, view.kind.offer
        ids = [_Key(name) for name in dict.fromkeys((entity.key, offer.key))]
        parts = [_Key(offer.name)] if view.is_part else []
        costs = [] if view.price is None else [_Key("total"), _Key("currency")]
        booking = [_Key(name) for name in ("booking_id", "customer_id", "status")]
        yield finder.search_name, [*self._asked(), _Key(entity.name), *costs]
        yield finder.search_name, [*self._shown(entity), *parts]
        yield finder.look_name, self._shown(offer)
        yield self._desk.book_name, [*booking, *ids, *self._held(), *costs]
        if self._desk.price_name is not None:
            price = _Key(view.price_key, f"field '{view.price}'")
            yield self._desk.price_name, [*ids, *self._held(), price, *costs]
        if view.offer.tools.details is not None:
            yield view.offer.tools.details, [*booking, *self._shown(entity), *costs]

    def _asked(self) -> Iterator[_Key]:
        """Yield what a search says above its list: what it was asked for."""
        narrowing = Narrowing(self._view)
        for argument in (*narrowing.needed(), *narrowing.optional()):
            yield _Key(argument.name, f"field '{narrowing.bound(argument.name)}'")
        if isinstance(self._holds, Stay):
            yield from self._held()

    def _shown(self, table: Table) -> list[_Key]:
        """Return the keys of a row: of its id and name, and of fields."""
        return [
            _Key(one.key, f"field '{one.name}'" if one.name in self._view.offer.fields else "")
            for one in self._view.shown(table)
        ]

    def _held(self) -> Iterator[_Key]:
        """Yield what a booking says of what it holds."""
        match self._holds:
            case Count() | Each():
                yield _Key(self._holds.argument, "holds")
            case Stay():
                names = (self._holds.first, self._holds.last, self._view.people)
                yield from (_Key(name, "holds") for name in names if name is not None)
                yield _Key(Calendar(self._view, self._holds).units)
