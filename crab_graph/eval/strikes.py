"""What the world broke in an episode, where, and until when the customer must have heard of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crab_graph.domain.kind import Kind
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import NEVER
from crab_graph.eval.reading import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.money import format_dollars
from crab_graph.text.mishap_words import Mishap
from crab_graph.tools.fault_schedule import FaultKind
from crab_graph.tools.ledger import WORLD, Event
from crab_graph.tools.tables import WORLD_FAULTS
from crab_graph.tools.world_faults import Stage

_MISHAPS = {
    FaultKind.SOLD: Mishap.SOLD,
    FaultKind.QUOTE: Mishap.DEARER,
    FaultKind.DECLINED: Mishap.DECLINED,
    FaultKind.LIMIT: Mishap.DECLINED,
    FaultKind.UNCONFIRMED: Mishap.UNCONFIRMED,
}
"""What there is to tell of a fault; nothing of a search that timed out."""


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault of the world that changed what the customer gets, pays or can count on.

    Attributes:
        seq: The call that it struck.
        subject: The offer, payment method or booking that it struck.
        booking_id: The booking that it is about, where there is one.
        slot: The slot, and `entity_id` the entity, that it is about.
        amounts: Of a price that rose, what is due now: of a unit, and of the whole booking.
        until: The binding step before which the customer must have been told; `NEVER` for none.
    """

    seq: int
    mishap: Mishap
    subject: str
    booking_id: str
    slot: str | None
    entity_id: str
    amounts: tuple[int, ...]
    until: float

    @property
    def text(self) -> str:
        """What happened, in words."""
        match self.mishap:
            case Mishap.SOLD:
                return f"{self.subject} ({self.entity_id}) was sold to somebody else"
            case Mishap.DEARER:
                now = format_dollars(self.amounts[0])
                return f"{self.subject} ({self.entity_id}) got dearer: {now} a unit now"
            case Mishap.DECLINED:
                return f"the card of {self.subject} was declined for {self.booking_id}"
        return f"{self.booking_id} was left unconfirmed"

    def messages(self, episode: Episode) -> Sequence[AgentMessage]:
        """Return the agent's messages in which the customer can have been told in time."""
        return [one for one in episode.dialogue.agent_after(self.seq) if one.seq < self.until]


@lru_cache(maxsize=1)
def find_strikes(episode: Episode) -> tuple[Strike, ...]:
    """Return what the world broke that the customer had to hear of, in order.

    Left out is what needs no word: a price that stayed, or of what was not booked in the end; a
    booking that was looked up, and so confirmed, before the agent said anything; and what broke
    when nothing was said or done any more.
    """
    if not episode.reading.task.spec.faults:
        return ()
    found = (one for call in episode.trajectory.calls for one in _struck(episode, call))
    return tuple(one for one in found if one.until < NEVER or one.messages(episode))


def _struck(episode: Episode, call: CallStep) -> Iterator[Strike]:
    for event in _of_world(call):
        if event["table"] == WORLD_FAULTS.name and "subject" in event["set"]:
            row = episode.trajectory.ledger.world.get(WORLD_FAULTS.name, event["key"]) or {}
            mishap = _MISHAPS.get(FaultKind(row["kind"]))
            subject = str(event["set"]["subject"])
            match mishap:
                case Mishap.SOLD:
                    yield _sold(episode, call, subject)
                case Mishap.DEARER:
                    yield from _dearer(episode, call, subject)
                case Mishap.DECLINED:
                    yield _declined(episode, call, subject)
                case Mishap.UNCONFIRMED:
                    yield from _unconfirmed(episode, call, event["key"], subject.split()[0])


def _of_world(call: CallStep) -> Iterator[Event]:
    return (one for one in call.events if one.get("owner") == WORLD and one["op"] == "update")


def _sold(episode: Episode, call: CallStep, offer: str) -> Strike:
    _, entity_id, slot = _place_of(episode, offer)
    made = (one.made_at for one in episode.history.bookings if one.made_at > call.seq)
    return Strike(call.seq, Mishap.SOLD, offer, "", slot, entity_id, (), min(made, default=NEVER))


def _dearer(episode: Episode, call: CallStep, offer: str) -> Iterator[Strike]:
    """Yield a price that rose, where the offer is booked after all."""
    ledger = episode.trajectory.ledger
    kind, entity_id, slot = _place_of(episode, offer)
    table = kind.offer.name
    before, now = ((one.get(table, offer) or {})["price_cents"] for one in (ledger.world, ledger))
    if now == before:
        return
    for later in episode.trajectory.calls:
        held = (
            one["row"]["booking_id"]
            for one in later.events
            if one["op"] == "insert"
            and one["table"] == kind.items
            and one["row"][kind.offer.key] == offer
        )
        booking_id = next(held, None)
        if later.seq > call.seq and booking_id is not None:
            price = episode.history.price_before(booking_id, NEVER)
            amounts = (now, price.cents) if price is not None else (now,)
            about = (booking_id, slot, entity_id, amounts)
            yield Strike(call.seq, Mishap.DEARER, offer, *about, later.seq)
            return


def _declined(episode: Episode, call: CallStep, method: str) -> Strike:
    booking_id = str(call.arguments["booking_id"])
    booking = episode.history.by_id.get(booking_id)
    entity_id, slot = ("", None) if booking is None else (booking.entity_id, booking.slot)
    paid = (one.seq for one in episode.history.charges if one.booking_id == booking_id)
    until = min((seq for seq in paid if seq > call.seq), default=NEVER)
    return Strike(call.seq, Mishap.DECLINED, method, booking_id, slot, entity_id, (), until)


def _unconfirmed(
    episode: Episode, call: CallStep, fault_id: str, booking_id: str
) -> Iterator[Strike]:
    """Yield a booking that is still unconfirmed when the agent speaks next."""
    booking, said = episode.history.by_id[booking_id], episode.dialogue.agent_after(call.seq)
    mended_at = (
        later.seq
        for later in episode.trajectory.calls
        for one in _of_world(later)
        if one["key"] == fault_id and one["set"].get("stage") == Stage.OVER
    )
    if not said or min(mended_at, default=NEVER) < said[0].seq:
        return
    until = min((seq for seq in episode.history.writes if seq > said[0].seq), default=NEVER)
    about = (booking_id, booking.slot, booking.entity_id, ())
    yield Strike(call.seq, Mishap.UNCONFIRMED, booking_id, *about, until)


def _place_of(episode: Episode, offer: str) -> tuple[Kind, str, str | None]:
    """Return the kind of an offer, the entity that it is of, and the slot that this fits."""
    world = episode.trajectory.ledger.world
    for kind in episode.reading.task.domain.kinds.values():
        row = world.get(kind.offer.name, offer)
        if row is not None:
            entity_id = str(row[kind.entity.key])
            return kind, entity_id, episode.reading.catalogue.slot_of(entity_id)
    raise LookupError(f"no table holds the offer '{offer}'")
