"""What truly happened in a transcript, as its ledger says; mutations are made from that."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crab_graph.eval.reading import Episode, lay_out, read_task
from crab_graph.eval.replay import CallStep, MessageStep, replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.tools.registry import Owner
from tests.corpora.amounts_said import Told, find_amounts
from tests.corpora.transcripts import Message, Transcript


@dataclass(frozen=True, slots=True)
class Sold:
    """What fills a slot at the end; `made` and `charged` are places of messages."""

    slot: str
    word: str
    kind: str
    booking_id: str
    entity_id: str
    name: str | None
    unit: int
    whole: int
    made: int
    charged: int

    @property
    def has_units(self) -> bool:
        """Whether one unit is not all of it."""
        return self.unit != self.whole


class Happened:
    """A transcript beside its ledger."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.task = transcript.task
        self.messages = transcript.messages

    @cached_property
    def episode(self) -> Episode:
        """The episode as the verifiers read it; only what was done is taken from it."""
        steps = replay(self.task, read_transcript(self.messages))
        return lay_out(read_task(self.task), steps)

    @cached_property
    def places(self) -> Mapping[int, int]:
        """The place of the message of each step, by its `seq`."""
        owners = [
            place
            for place, message in enumerate(self.messages)
            for _ in message.get("tool_calls") or (None,)
        ]
        steps = self.episode.trajectory.steps
        return {step.seq: place for step, place in zip(steps, owners, strict=False)}

    @cached_property
    def results(self) -> Mapping[str, CallStep]:
        """The calls with what they returned, by the id of the call."""
        ids = [call["id"] for one in self.messages for call in one.get("tool_calls") or ()]
        return dict(zip(ids, self.episode.trajectory.calls, strict=False))

    @cached_property
    def said(self) -> tuple[tuple[int, str], ...]:
        """The visible texts of the agent, with their places."""
        return tuple(
            (self.places[step.seq], self.messages[self.places[step.seq]]["content"])
            for step in self.episode.trajectory.steps
            if isinstance(step, MessageStep) and step.speaker is Owner.AGENT
        )

    @cached_property
    def sold(self) -> tuple[Sold, ...]:
        """What fills the slots, in the order in which it was booked."""
        history, found = self.episode.history, []
        words = {slot.id: slot.word for slot in self.task.domain.slots}
        for slot, one in self.episode.filled.items():
            table = self.task.domain.kinds[one.kind].entity.name
            charged = history.charged_at(one.booking_id)
            found.append(
                Sold(
                    slot,
                    words[slot],
                    one.kind,
                    one.booking_id,
                    one.entity_id,
                    self.task.world.tables[table][one.entity_id].get("name"),
                    one.unit_cents,
                    one.total_cents,
                    self.places[history.by_id[one.booking_id].made_at],
                    self.places[int(charged)],
                )
            )
        return tuple(sorted(found, key=lambda item: item.made))

    @property
    def total(self) -> int:
        """What all of it costs."""
        return sum(item.whole for item in self.sold)

    @property
    def first_booking(self) -> int:
        """Place of the first booking."""
        return self.sold[0].made

    @property
    def first_charge(self) -> int:
        """Place of the first charge."""
        return min(item.charged for item in self.sold)

    @property
    def last_write(self) -> int:
        """Place of the last booking write."""
        return self.places[self.episode.history.last_write]

    @cached_property
    def amounts(self) -> tuple[Told, ...]:
        """The amounts that the agent said, in order."""
        return tuple(told for place, text in self.said for told in find_amounts(place, text))

    def meaning(self, cents: int) -> set[tuple[str, str]]:
        """Return what an amount can be: `("whole", slot)`, `("unit", slot)`, `("total", "")`."""
        found = {("whole", item.slot) for item in self.sold if item.whole == cents}
        found |= {
            ("unit", item.slot) for item in self.sold if item.has_units and item.unit == cents
        }
        return found | ({("total", "")} if cents == self.total else set())

    def told(self, what: str, slot: str = "") -> Iterator[Told]:
        """Yield the amounts that can be nothing else than this."""
        for one in self.amounts:
            if self.meaning(one.cents) == {(what, slot)}:
                yield one

    def calls(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the calls of a tool that succeeded, with the places of their messages."""
        for place, message in enumerate(self.messages):
            for call in message.get("tool_calls") or ():
                if call["name"] == name and not self.results[call["id"]].is_error:
                    yield place, call

    def others(self, item: Sold) -> list[str]:
        """Return ids of other entities that could fill its slot and were never spoken of."""
        reading = self.episode.reading
        table = self.task.domain.kinds[item.kind].entity.name
        slot_of = reading.grading.slot_of
        talk = "\n".join(str(message["content"]) for message in self.messages).casefold()
        return [
            key
            for key, row in self.task.world.tables[table].items()
            if key != item.entity_id
            and slot_of(self.task.world, self.task.request, key) == item.slot
            and key.casefold() not in talk
            and (row.get("name") or key).casefold() not in talk
        ]


def with_text(messages: tuple[Message, ...], place: int, text: str) -> tuple[Message, ...]:
    """Return messages with another text in one place."""
    changed = {**messages[place], "content": text}
    return (*messages[:place], changed, *messages[place + 1 :])
