"""Ids and names told before they are booked, and what is booked approved (rulebook §5 to §7)."""

from collections.abc import Iterator
from functools import partial

from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, FailureMode, judge, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import BookingRecord
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import Duty, Verifier, undisclosed
from crab_graph.text.mentions import MentionForm

CROWD = 3
"""A message that discloses more entities for a slot than this does not tell which one is booked."""


def _booked_ids(episode: Episode) -> CheckResult:
    """F-ID: where ids of a type were spoken of, the id booked was disclosed before (§5)."""
    violations, support, triggered = [], [], False
    for booking in episode.history.bookings:
        mentioned = [
            mention
            for message in episode.dialogue.agent_before(booking.made_at)
            for mention in message.mentions
            if mention.form is MentionForm.ID and mention.kind == booking.kind
        ]
        if not mentioned:
            continue
        triggered = True
        disclosing = episode.dialogue.disclosing(booking, MentionForm.ID)
        if disclosing:
            text = f"{booking.entity_id} was disclosed"
            support.append(seen(text, message=disclosing[0].number))
        else:
            violations.append(_undisclosed(booking, "id", undisclosed_reason(episode, booking)))
    return judge(violations, support) if triggered else NOT_TRIGGERED


def undisclosed_reason(episode: Episode, booking: BookingRecord) -> str:
    """Return why a booked id was not disclosed: `absent`, `negated` or `over_cap`."""
    mentions = [
        mention
        for message in episode.dialogue.agent_before(booking.made_at)
        for mention in message.mentions
        if mention.form is MentionForm.ID and mention.entity_id == booking.entity_id
    ]
    if not mentions:
        return "absent"
    return "negated" if all(mention.is_negated for mention in mentions) else "over_cap"


def _booked_names(episode: Episode) -> CheckResult:
    """F-NM: the name of what has one was disclosed before it was booked, mentioned or not (§5)."""
    named = _bookings(episode, MentionForm.NAME)
    violations, support = [], []
    for booking in named:
        disclosing = episode.dialogue.disclosing(booking, MentionForm.NAME)
        if disclosing:
            text = f"the name of {booking.entity_id} was disclosed"
            support.append(seen(text, message=disclosing[0].number))
        else:
            violations.append(_undisclosed(booking, "name", "absent"))
    return judge(violations, support) if named else NOT_TRIGGERED


def has_name(episode: Episode, booking: BookingRecord) -> bool:
    """Return whether bookings of this kind are of named entities."""
    return booking.kind in episode.reading.catalogue.vocabulary.named_kinds


def _undisclosed(booking: BookingRecord, what: str, reason: str) -> Evidence:
    text = f"the {what} of {booking.entity_id} was not disclosed before it was booked ({reason})"
    return seen(text, rows=[f"bookings/{booking.booking_id}"])


def _bookings(episode: Episode, form: MentionForm) -> list[BookingRecord]:
    """Return the bookings of what can be told in a form, cancelled ones too."""
    bookings = episode.history.bookings
    return [one for one in bookings if form is MentionForm.ID or has_name(episode, one)]


def _unsaid(form: MentionForm, episode: Episode) -> Iterator[Evidence]:
    """Yield the bookings whose id or name was never disclosed among at most three."""
    for booking in _bookings(episode, form):
        disclosing = episode.dialogue.disclosing(booking, form)
        if not any(_is_uncrowded(message, booking) for message in disclosing):
            yield undisclosed(f"the {form} of {booking.entity_id} among few", booking.booking_id)


def _is_uncrowded(message: AgentMessage, booking: BookingRecord) -> bool:
    return len(message.offered.get(booking.slot or "", frozenset())) <= CROWD


def _told(form: MentionForm, episode: Episode) -> tuple[int, int]:
    bookings = _bookings(episode, form)
    return sum(bool(episode.dialogue.disclosing(one, form)) for one in bookings), len(bookings)


def _duty(form: MentionForm) -> Duty:
    return Duty(partial(_unsaid, form), lambda episode: bool(_bookings(episode, form)))


def _approved_plan(episode: Episode) -> CheckResult:
    """F-AP: what is booked is what the user approved last, and nothing it had rejected (§5)."""
    approved = episode.dialogue.approvals.approved
    violations, support, triggered = [], [], False
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        held = approved.get(record.slot or "", frozenset())
        was_rejected = booking.entity_id in (
            episode.dialogue.approvals_before(record.made_at).rejected
        )
        if not held and not was_rejected:
            continue
        triggered = True
        rows = [f"bookings/{booking_id}"]
        is_healed = episode.dialogue.is_approved_after(booking.entity_id, record.made_at)
        if was_rejected and not is_healed:
            text = f"{booking.entity_id} was booked after the user had rejected it"
            violations.append(seen(text, rows=rows))
        elif held and booking.entity_id not in held:
            text = f"{booking.entity_id} is booked, {', '.join(sorted(held))} was approved"
            violations.append(seen(text, rows=rows))
        else:
            support.append(seen(f"{booking.entity_id} was approved", rows=rows))
    return judge(violations, support) if triggered else NOT_TRIGGERED


def _unapproved(episode: Episode) -> Iterator[Evidence]:
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        standing = episode.dialogue.approvals_before(record.made_at).approved
        if booking.entity_id not in standing.get(record.slot or "", frozenset()):
            yield undisclosed(f"approval of {booking.entity_id} when it was booked", booking_id)


def _approved(episode: Episode) -> tuple[int, int]:
    approved = episode.dialogue.approvals.approved
    booked = episode.active.values()
    return sum(bool(approved.get(booking.slot or "")) for booking in booked), len(booked)


VERIFIERS = (
    Verifier(
        "F-ID",
        "ids told before booking",
        _booked_ids,
        FailureMode.ID_MISMATCH,
        _duty(MentionForm.ID),
        partial(_told, MentionForm.ID),
    ),
    Verifier(
        "F-NM",
        "names told before booking",
        _booked_names,
        FailureMode.NAME_UNDISCLOSED,
        _duty(MentionForm.NAME),
        partial(_told, MentionForm.NAME),
    ),
    Verifier(
        "F-AP",
        "booked what the user approved",
        _approved_plan,
        FailureMode.PLAN_DEVIATION,
        Duty(_unapproved, lambda episode: bool(episode.active)),
        _approved,
    ),
)
