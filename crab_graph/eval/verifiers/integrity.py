"""The tables as a whole: what changed, and what must add up (rulebook §4, D23 and D24)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from crab_graph.domains.kind import Kind
from crab_graph.eval.checks import CheckResult, Evidence, FailureMode, judge, seen
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import Verifier
from crab_graph.tools.bookings import BookingStatus, signed_cents
from crab_graph.tools.tables import Row

_PROFILE_FACTS = {"name": "traveller_names", "email": "email", "date_of_birth": "birth_dates"}
"""The user's fact that each column of a customer must equal; lists begin with the customer."""


def _only_due_changes(episode: Episode) -> CheckResult:
    """D23: nothing changed but what booking and paying this trip changes (§4)."""
    ledger = episode.trajectory.ledger
    private = {table.name for table in episode.reading.task.domain.tables if table.private}
    touched = sorted({event["table"] for event in ledger.events} - private)
    violations: list[Evidence] = []
    for table in touched:
        for key, row in ledger.changed(table).items():
            before = ledger.world.get(table, key)
            is_due = (
                _is_due_insert(episode, table, row)
                if before is None
                else _is_due_update(episode, table, key, before, row)
            )
            if not is_due:
                done = "was added" if before is None else _difference(before, row)
                violations.append(seen(f"{table} {key} {done}", rows=[f"{table}/{key}"]))
    return judge(violations)


def _is_due_insert(episode: Episode, table: str, row: Row) -> bool:
    made = episode.history.by_id
    customer_id = episode.reading.task.customer_id
    if table in ("bookings", "payment_methods"):
        return bool(row["customer_id"] == customer_id)
    if table == "transfers":
        return True
    items = {kind.items for kind in episode.reading.task.domain.kinds.values()}
    return (table == "transactions" or table in items) and row["booking_id"] in made


def _is_due_update(episode: Episode, table: str, key: str, before: Row, row: Row) -> bool:
    changed = {column for column in row if row[column] != before[column]}
    if table == "customers" and key == episode.reading.task.customer_id:
        return all(row[column] == _profile_value(episode, column) for column in changed)
    for kind in episode.reading.task.domain.kinds.values():
        if kind.offer.name == table and changed == {kind.counter}:
            items = episode.trajectory.ledger.inserted(kind.items)
            return any(item[kind.offer.key] == key for item in items)
    return False


def _profile_value(episode: Episode, column: str) -> object:
    value = episode.reading.facts.get(_PROFILE_FACTS.get(column, ""))
    return value[0] if isinstance(value, list) else value


def _difference(before: Row, row: Row) -> str:
    changes = (
        f"{column} from {before[column]!r} to {row[column]!r}"
        for column in row
        if row[column] != before[column]
    )
    return "changed " + ", ".join(changes)


def _invariants(episode: Episode) -> CheckResult:
    """D24: stock is conserved, the ledger balances, references lead somewhere (§4)."""
    violations: list[Evidence] = []
    for kind in episode.reading.task.domain.kinds.values():
        violations += _stock_violations(episode, kind)
        violations += _dangling_items(episode, kind)
    violations += _unbalanced_bookings(episode)
    return judge(violations)


def _stock_violations(episode: Episode, kind: Kind) -> Iterator[Evidence]:
    if kind.counter is not None:
        yield from _counter_violations(episode, kind, kind.counter)
    if kind.interval is not None:
        yield from _double_bookings(episode, kind, *kind.interval)


def _counter_violations(episode: Episode, kind: Kind, counter: str) -> Iterator[Evidence]:
    """Yield the offers whose counter does not fit what bookings took and gave back."""
    ledger = episode.trajectory.ledger
    taken: Counter[str] = Counter()
    for item in ledger.inserted(kind.items):
        if _is_active(episode, item["booking_id"]):
            taken[item[kind.offer.key]] += kind.units(item)
    for booking_id, before in _cancelled_baseline(episode):
        if before != BookingStatus.CANCELLED:
            for item in ledger.world.find(kind.items, "booking_id", booking_id):
                taken[item[kind.offer.key]] -= kind.units(item)
    for key in sorted({*taken, *ledger.changed(kind.offer.name)}):
        first, last = (
            ledger.world.get(kind.offer.name, key),
            ledger.get(kind.offer.name, key),
        )
        if first is None or last is None:
            continue
        if last[counter] < 0 or first[counter] - last[counter] != taken[key]:
            text = f"{key}: {counter} went from {first[counter]} to {last[counter]}"
            said = f"{text} while {taken[key]} were taken"
            yield seen(said, rows=[f"{kind.offer.name}/{key}"])


def _cancelled_baseline(episode: Episode) -> Iterator[tuple[str, str]]:
    ledger = episode.trajectory.ledger
    for key, row in ledger.changed("bookings").items():
        before = ledger.world.get("bookings", key)
        if before is not None and row["status"] == BookingStatus.CANCELLED:
            yield key, before["status"]


def _double_bookings(episode: Episode, kind: Kind, first: str, last: str) -> Iterator[Evidence]:
    """Yield the offers that two active bookings hold on one day, at least one of this episode."""
    ledger = episode.trajectory.ledger
    for item in ledger.inserted(kind.items):
        if not _is_active(episode, item["booking_id"]):
            continue
        key = ledger.world.keys[kind.items]
        for other in ledger.find(kind.items, kind.offer.key, item[kind.offer.key]):
            overlaps = item[first] < other[last] and other[first] < item[last]
            if other[key] != item[key] and overlaps and _is_active(episode, other["booking_id"]):
                text = f"{item[kind.offer.key]} is held by {item['booking_id']}"
                said = f"{text} and by {other['booking_id']}"
                yield seen(said, rows=[f"{kind.items}/{item[key]}"])


def _dangling_items(episode: Episode, kind: Kind) -> Iterator[Evidence]:
    ledger = episode.trajectory.ledger
    for item in ledger.inserted(kind.items):
        booking = ledger.get("bookings", item["booking_id"])
        offer = ledger.get(kind.offer.name, item[kind.offer.key])
        if booking is None or offer is None:
            key = item[ledger.world.keys[kind.items]]
            yield seen(f"{key} belongs to nothing", rows=[f"{kind.items}/{key}"])


def _unbalanced_bookings(episode: Episode) -> Iterator[Evidence]:
    """Yield the bookings whose status does not fit their charges and refunds."""
    ledger = episode.trajectory.ledger
    made = (row["booking_id"] for row in ledger.inserted("bookings"))
    paid = (row["booking_id"] for row in ledger.inserted("transactions"))
    for booking_id in dict.fromkeys((*made, *paid)):
        booking = ledger.get("bookings", booking_id)
        if booking is None:
            yield seen(f"money moved for {booking_id}, which does not exist")
            continue
        captured = _captured(ledger.find("transactions", "booking_id", booking_id))
        due = booking["total_cents"] if booking["status"] == BookingStatus.CONFIRMED else 0
        if captured != due:
            text = f"{booking_id} is {booking['status']} with {captured} of {due} cents captured"
            yield seen(text, rows=[f"bookings/{booking_id}"])


def _captured(transactions: Iterable[Row]) -> int:
    return sum(signed_cents(row) for row in transactions)


def _is_active(episode: Episode, booking_id: str) -> bool:
    booking = episode.trajectory.ledger.get("bookings", booking_id)
    return booking is not None and booking["status"] != BookingStatus.CANCELLED


VERIFIERS = (
    Verifier("D23", "nothing else changed", _only_due_changes, FailureMode.COLLATERAL),
    Verifier("D24", "the tables stay sound", _invariants),
)
