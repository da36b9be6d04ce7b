"""The tables as a whole: what changed, and what must add up (rulebook §4, D23 and D24)."""

from collections import Counter
from collections.abc import Iterator

from crab_graph.domain.kind import Kind
from crab_graph.domain.verification import Role
from crab_graph.eval.checks import CheckResult, Evidence, judge, seen, seen_on
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import verifier
from crab_graph.tools.bookings import BookingStatus, captured_cents
from crab_graph.tools.ledger import changed_by_world
from crab_graph.tools.tables import WORLD_FAULTS, Row


@verifier("D23", Role.COLLATERAL, "nothing else changed")
def only_due_changes(episode: Episode) -> CheckResult:
    """D23: nothing changed but what booking and paying for the job changes (§4)."""
    ledger = episode.trajectory.ledger
    domain, of_world = episode.reading.task.domain, changed_by_world(ledger.events)
    private = {table.name for table in (*domain.tables, WORLD_FAULTS) if table.private}
    violations = []
    for table in sorted({event["table"] for event in ledger.events} - private):
        for key, row in ledger.changed(table).items():
            before = ledger.world.get(table, key)
            if before is None:
                is_due, done = _is_due_insert(episode, table, row), "was added"
            else:
                own = row.keys() - of_world.get((table, key), ())
                changed = {
                    name: row[name] for name in row if name in own and row[name] != before[name]
                }
                is_due = _is_due_update(episode, table, key, changed)
                done = "changed " + ", ".join(
                    f"{name} from {before[name]!r} to {value!r}" for name, value in changed.items()
                )
            if not is_due and (before is None or changed):
                violations.append(seen(f"{table} {key} {done}", f"{table}/{key}"))
    return judge(violations)


def _is_due_insert(episode: Episode, table: str, row: Row) -> bool:
    if table in ("bookings", "payment_methods"):
        return bool(row["customer_id"] == episode.reading.task.customer_id)
    if table == "transfers":
        return True
    made = {kind.items for kind in episode.reading.task.domain.kinds.values()} | {"transactions"}
    return table in made and row["booking_id"] in episode.history.by_id


def _is_due_update(episode: Episode, table: str, key: str, changed: Row) -> bool:
    if table == "customers" and key == episode.reading.task.customer_id:
        facts, known_as = episode.reading.facts, episode.reading.grading.profile_facts
        for column, value in changed.items():
            known = facts.get(known_as.get(column, ""))
            if value != (known[0] if isinstance(known, list) else known):
                return False
        return True
    for kind in episode.reading.task.domain.kinds.values():
        if kind.offer.name == table and set(changed) == {kind.counter}:
            items = episode.trajectory.ledger.inserted(kind.items)
            return any(item[kind.offer.key] == key for item in items)
    return False


@verifier("D24", Role.SOUND, "the tables stay sound")
def invariants(episode: Episode) -> CheckResult:
    """D24: stock is conserved, the ledger balances, references lead somewhere (§4)."""
    violations: list[Evidence] = []
    for kind in episode.reading.task.domain.kinds.values():
        violations += _miscounted(episode, kind)
        violations += _double_bookings(episode, kind)
        violations += _dangling_items(episode, kind)
    return judge([*violations, *_unbalanced_bookings(episode)])


def _miscounted(episode: Episode, kind: Kind) -> Iterator[Evidence]:
    """Yield the offers whose counter does not fit what bookings took and gave back."""
    ledger, counter = episode.trajectory.ledger, kind.counter
    if counter is None:
        return
    taken: Counter[str] = Counter()
    for item in ledger.inserted(kind.items):
        if _is_active(episode, item["booking_id"]):
            taken[item[kind.offer.key]] += kind.units(item)
    for booking_id, row in ledger.changed("bookings").items():
        before = ledger.world.get("bookings", booking_id)
        is_given_back = row["status"] == BookingStatus.CANCELLED
        if before is not None and is_given_back and before["status"] != BookingStatus.CANCELLED:
            for item in ledger.world.find(kind.items, "booking_id", booking_id):
                taken[item[kind.offer.key]] -= kind.units(item)
    for key in sorted({*taken, *ledger.changed(kind.offer.name)}):
        first = ledger.world.get(kind.offer.name, key)
        last = ledger.get(kind.offer.name, key)
        if first is None or last is None:
            continue
        if last[counter] < 0 or first[counter] - last[counter] != taken[key]:
            text = f"{key}: {counter} went from {first[counter]} to {last[counter]}"
            yield seen(f"{text} while {taken[key]} were taken", f"{kind.offer.name}/{key}")


def _double_bookings(episode: Episode, kind: Kind) -> Iterator[Evidence]:
    """Yield the offers that two active bookings hold on one day, at least one of this episode."""
    if kind.interval is None:
        return
    ledger, table, column = episode.trajectory.ledger, kind.items, kind.offer.key
    (first, last), key = kind.interval, ledger.world.keys[table]
    for item in ledger.inserted(table):
        if not _is_active(episode, item["booking_id"]):
            continue
        for other in ledger.find(table, column, item[column]):
            overlaps = item[first] < other[last] and other[first] < item[last]
            if other[key] != item[key] and overlaps and _is_active(episode, other["booking_id"]):
                holders = f"held by {item['booking_id']} and by {other['booking_id']}"
                yield seen(f"{item[column]} is {holders}", f"{table}/{item[key]}")


def _dangling_items(episode: Episode, kind: Kind) -> Iterator[Evidence]:
    ledger = episode.trajectory.ledger
    for item in ledger.inserted(kind.items):
        booking = ledger.get("bookings", item["booking_id"])
        if booking is None or ledger.get(kind.offer.name, item[kind.offer.key]) is None:
            key = item[ledger.world.keys[kind.items]]
            yield seen(f"{key} belongs to nothing", f"{kind.items}/{key}")


def _unbalanced_bookings(episode: Episode) -> Iterator[Evidence]:
    """Yield the bookings whose status does not fit their charges and refunds."""
    ledger = episode.trajectory.ledger
    touched = (*ledger.inserted("bookings"), *ledger.inserted("transactions"))
    for booking_id in dict.fromkeys(row["booking_id"] for row in touched):
        booking = ledger.get("bookings", booking_id)
        if booking is None:
            yield seen(f"money moved for {booking_id}, which does not exist")
            continue
        captured = captured_cents(ledger, "booking_id", booking_id)
        due = booking["total_cents"] if booking["status"] == BookingStatus.CONFIRMED else 0
        if captured != due:
            text = f"{booking_id} is {booking['status']} with {captured} of {due} cents captured"
            yield seen_on(booking_id, text)


def _is_active(episode: Episode, booking_id: str) -> bool:
    booking = episode.trajectory.ledger.get("bookings", booking_id)
    return booking is not None and booking["status"] != BookingStatus.CANCELLED
