"""Who else is in the books: the user, their cards, other customers and what these booked before."""

from collections.abc import Mapping, Sequence
from random import Random

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import Draft, Inventory
from crab_graph.domain.kind import Kind
from crab_graph.domains.travel.names import (
    CARD_BRANDS,
    CITIES,
    email_of,
    person_names,
    street_address,
)
from crab_graph.domains.travel.offers import ALL_TABLES, KINDS
from crab_graph.domains.travel.request import PaymentCard, ProfileTraveller, TravelProfile
from crab_graph.randomness import derive_id, derive_rng
from crab_graph.tools.tables import Row, picked

OTHERS = 5
"""Number of other customers."""


def sample_profile(seed: int, party_size: int) -> TravelProfile:
    """Draw who travels and which card pays; the first traveller is the customer."""
    rng = derive_rng(seed, "profile")
    travellers = tuple(
        ProfileTraveller(
            name=name, date_of_birth=iso_date(day_number("1955-01-01") + rng.randrange(50 * 365))
        )
        for name in person_names(rng, party_size)
    )
    return TravelProfile(
        customer_id=f"CU-{rng.randrange(10000, 99999)}",
        email=email_of(travellers[0].name),
        travellers=travellers,
        payment_card=PaymentCard(**_card(rng, f"CD-{rng.randrange(1000, 10000)}")),
    )


def people(
    draft: Draft, offers: Inventory, totals: Sequence[int], seed: int
) -> Mapping[str, list[Row]]:
    """Return customers, payment methods, earlier bookings, and the user's private cards.

    One card of the user's alone covers the budget, or the dearest solution where there is none
    (paper section 3.2.4); the others cover no solution. `totals` are the solutions' costs in cents.
    """
    tables: dict[str, list[Row]] = {
        table.name: [] for table in ALL_TABLES if table.name not in offers.tables
    }
    _add_user(tables, draft, totals, derive_rng(seed, "wallet"))
    _add_others(tables, draft, offers, derive_rng(seed, "other customers"))
    return tables


def _add_user(
    tables: dict[str, list[Row]], draft: Draft, totals: Sequence[int], rng: Random
) -> None:
    profile: TravelProfile = draft.profile
    lead = profile.travellers[0]
    home = (lead.name, lead.date_of_birth, draft.request.origin)
    tables["customers"].append(_customer(rng, profile.customer_id, *home))
    need = max(draft.request.budget_cents or 0, *totals)
    own = profile.payment_card.model_dump()
    high = -(-int(need * rng.uniform(1.1, 1.6)) // 10000) * 10000
    cards = [{**own, "limit_cents": high, "is_default": False}]
    while len(cards) < 3:
        card_id = f"CD-{rng.randrange(1000, 10000)}"
        if card_id in {card["card_id"] for card in cards}:
            continue
        card = _card(rng, card_id)
        low = max(5000, int(min(totals) * rng.uniform(0.25, 0.8)) // 5000 * 5000)
        cards.append({**card, "limit_cents": low, "is_default": False})
    rng.choice(cards)["is_default"] = True
    tables["cards"] = sorted(cards, key=lambda card: str(card["card_id"]))
    known = rng.choice([None, None, cards[0], cards[1]])
    if known is not None:
        tables["payment_methods"].append(_method(draft, profile.customer_id, known))


def _add_others(tables: dict[str, list[Row]], draft: Draft, offers: Inventory, rng: Random) -> None:
    profile: TravelProfile = draft.profile
    taken = {traveller.name for traveller in profile.travellers}
    names = [name for name in person_names(rng, OTHERS + len(taken)) if name not in taken]
    numbers = rng.sample(range(10000, 99999), OTHERS + 1)
    ids = [f"CU-{number}" for number in numbers if f"CU-{number}" != profile.customer_id]
    fares = _drawn(offers.tables["fares"], rng)
    slots = _drawn(offers.tables["attractions"], rng)
    for name, customer_id, fare, slot in zip(names, ids, fares, slots, strict=False):
        born = f"{rng.randrange(1950, 2000)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
        city = rng.choice(sorted(CITIES))
        tables["customers"].append(_customer(rng, customer_id, name, born, city))
        method = _method(draft, customer_id, _card(rng, customer_id.replace("CU", "CD")))
        tables["payment_methods"].append(method)
        seat = _booking(tables, method, KINDS["flight"], fare)
        person = {"passenger_name": name, "date_of_birth": born}
        tables["booking_seats"].append({"seat_key": f"{seat['booking_id']}/1", **seat, **person})
        ticket = _booking(tables, method, KINDS["attraction"], slot)
        key = f"{ticket['booking_id']}/1"
        tables["booking_tickets"].append({"ticket_key": key, **ticket, "tickets": 1})


def _drawn(rows: list[Row], rng: Random) -> list[Row]:
    """Draw what each of the others booked: distinct offers, where there are enough."""
    return rng.sample(rows, OTHERS) if len(rows) >= OTHERS else rng.choices(rows, k=OTHERS)


def _booking(tables: dict[str, list[Row]], method: Row, kind: Kind, offer: Row) -> Row:
    """Add a charged booking of one unit, and return what its item says of booking and offer.

    What it holds is no longer counted as available.
    """
    customer_id, cents = method["customer_id"], kind.price(offer["price_cents"], 1)
    booking_id = derive_id("BK", 8, "baseline", customer_id, kind.name)
    tables["bookings"].append(
        {
            "booking_id": booking_id,
            "customer_id": customer_id,
            "kind": kind.name,
            "entity_id": offer[kind.entity.key],
            "status": "confirmed",
            "total_cents": cents,
        }
    )
    tables["transactions"].append(
        {
            "transaction_id": derive_id("TX", 8, "baseline", booking_id),
            "booking_id": booking_id,
            "customer_id": customer_id,
            "payment_method_id": method["payment_method_id"],
            "kind": "charge",
            "amount_cents": cents,
        }
    )
    return {"booking_id": booking_id, kind.offer.key: offer[kind.offer.key]}


def _customer(rng: Random, customer_id: str, name: str, born: str, city: str) -> Row:
    return {
        "customer_id": customer_id,
        "name": name,
        "email": email_of(name),
        "phone": f"555-01{rng.randrange(100):02d}",  # of the range reserved for fiction
        "address": street_address(rng, city),
        "date_of_birth": born,
    }


def _card(rng: Random, card_id: str) -> Row:
    brand = rng.choice(CARD_BRANDS)
    return {"card_id": card_id, "brand": brand, "last4": f"{rng.randrange(10000):04d}"}


def _method(draft: Draft, customer_id: str, card: Row) -> Row:
    return {
        "payment_method_id": derive_id("PM", 8, "known", customer_id, card["card_id"], draft.today),
        "customer_id": customer_id,
        **picked(card, "card_id", "brand", "last4"),
        "is_default": True,
    }
