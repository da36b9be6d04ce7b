"""Ids and names told before they are booked, and what is booked approved (rulebook §5 to §7)."""

from collections.abc import Iterator
from functools import partial

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import (
    NOT_TRIGGERED,
    CheckResult,
    Evidence,
    judge,
    seen,
    seen_on,
)
from crab_graph.eval.history import BookingRecord
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import Duty, undisclosed, verifier
from crab_graph.text.mentions import MentionForm

CROWD = 3
"""A message that discloses more entities for a slot than this does not tell which one is booked."""


def bookings_with(episode: Episode, form: MentionForm) -> list[BookingRecord]:
    """Return the bookings of what can be told in a form, cancelled ones too."""
    named = episode.reading.catalogue.vocabulary.named_kinds
    return [one for one in episode.history.bookings if form is MentionForm.ID or one.kind in named]


def _unsaid(form: MentionForm, episode: Episode) -> Iterator[Evidence]:
    """Yield the bookings whose id or name was never disclosed among at most three."""
    for booking in bookings_with(episode, form):
        if not any(
            len(message.offered.get(booking.slot or "", ())) <= CROWD
            for message in episode.dialogue.disclosing(booking, form)
        ):
            yield undisclosed(f"the {form} of {booking.entity_id} among few", booking.booking_id)


def _told(form: MentionForm, episode: Episode) -> tuple[int, int]:
    bookings = bookings_with(episode, form)
    return sum(bool(episode.dialogue.disclosing(one, form)) for one in bookings), len(bookings)


def _duty(form: MentionForm) -> Duty:
    return Duty(partial(_unsaid, form), lambda episode: bool(bookings_with(episode, form)))


@verifier(
    "F-ID",
    Role.ID_TOLD,
    "ids told before booking",
    duty=_duty(MentionForm.ID),
    coverage=partial(_told, MentionForm.ID),
)
def booked_ids(episode: Episode) -> CheckResult:
    """F-ID: where ids of a type were spoken of, the id booked was disclosed before (§5)."""
    spoken_of = [
        booking
        for booking in episode.history.bookings
        if any(
            booking.kind in message.kinds_by_id
            for message in episode.dialogue.agent_before(booking.made_at)
        )
    ]
    return _disclosed(episode, spoken_of, MentionForm.ID)


@verifier(
    "F-NM",
    Role.NAME_TOLD,
    "names told before booking",
    duty=_duty(MentionForm.NAME),
    coverage=partial(_told, MentionForm.NAME),
)
def booked_names(episode: Episode) -> CheckResult:
    """F-NM: the name of what has one was disclosed before it was booked, mentioned or not (§5)."""
    return _disclosed(episode, bookings_with(episode, MentionForm.NAME), MentionForm.NAME)


def _disclosed(episode: Episode, bookings: list[BookingRecord], form: MentionForm) -> CheckResult:
    violations, support = [], []
    for booking in bookings:
        is_id = form is MentionForm.ID
        what = booking.entity_id if is_id else f"the name of {booking.entity_id}"
        disclosing = episode.dialogue.disclosing(booking, form)
        if disclosing:
            support.append(seen(f"{what} was disclosed", message=disclosing[0].number))
        else:
            reason = undisclosed_reason(episode, booking) if is_id else "absent"
            text = f"the {form} of {booking.entity_id} was not disclosed before it was booked"
            violations.append(seen_on(booking.booking_id, f"{text} ({reason})"))
    return judge(violations, support) if bookings else NOT_TRIGGERED


def undisclosed_reason(episode: Episode, booking: BookingRecord) -> str:
    """Return why a booked id was not disclosed: `absent`, `negated` or `over_cap`."""
    own = [
        mention
        for message in episode.dialogue.agent_before(booking.made_at)
        for mention in message.mentions
        if mention.form is MentionForm.ID and mention.entity_id == booking.entity_id
    ]
    if not own:
        return "absent"
    return "negated" if all(mention.is_negated for mention in own) else "over_cap"


def _unapproved(episode: Episode) -> Iterator[Evidence]:
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        standing = episode.dialogue.approvals_before(record.made_at).approved
        if booking.entity_id not in standing.get(record.slot or "", ()):
            yield undisclosed(f"approval of {booking.entity_id} when it was booked", booking_id)


def _approved(episode: Episode) -> tuple[int, int]:
    approved = episode.dialogue.approvals.approved
    booked = episode.active.values()
    return sum(bool(approved.get(booking.slot or "")) for booking in booked), len(booked)


@verifier(
    "F-AP",
    Role.PLAN_APPROVED,
    "booked what the user approved",
    duty=Duty(_unapproved, lambda episode: bool(episode.active)),
    coverage=_approved,
)
def approved_plan(episode: Episode) -> CheckResult:
    """F-AP: what is booked is what the user approved last, and nothing it had rejected (§5)."""
    dialogue = episode.dialogue
    violations, support = [], []
    for booking_id, booking in episode.active.items():
        entity_id, record = booking.entity_id, episode.history.by_id[booking_id]
        held = dialogue.approvals.approved.get(record.slot or "", frozenset())
        was_rejected = entity_id in dialogue.approvals_before(record.made_at).rejected
        if was_rejected and not dialogue.is_approved_after(entity_id, record.made_at):
            text = f"{entity_id} was booked after the user had rejected it"
            violations.append(seen_on(booking_id, text))
        elif held and entity_id not in held:
            text = f"{entity_id} is booked, {', '.join(sorted(held))} was approved"
            violations.append(seen_on(booking_id, text))
        elif held or was_rejected:
            support.append(_approval_of(episode, entity_id, booking_id))
    return judge(violations, support) if violations or support else NOT_TRIGGERED


def _approval_of(episode: Episode, entity_id: str, booking_id: str) -> Evidence:
    """Return evidence of the last approval of what is booked, and of how it was read."""
    last = episode.dialogue.last_approval(entity_id)
    if last is None:
        return seen_on(booking_id, f"{entity_id} was approved")
    message, act = last
    said = seen_on(booking_id, f"{entity_id} was approved {act.how}")
    return {**said, "message": message.number, "explanation": str(act.how)}
