"""Streams of numbers are NumPy's frozen ones, however their generators are made."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.randomness import derive_array_rng, derive_seed


@given(parts=st.lists(st.text() | st.integers(), min_size=1, max_size=3))
def test_an_array_generator_is_numpys_own_of_the_same_seed(parts: list[str | int]) -> None:
    seed = derive_seed(*parts)
    own = np.random.RandomState([seed & 0xFFFFFFFF, seed >> 32])
    derived = derive_array_rng(*parts)
    for rng in (own, derived):
        rng.standard_normal()  # keeps a second one for the next time
    assert derived.standard_normal() == own.standard_normal()
    assert derived.randint(0, 10**6, 700).tolist() == own.randint(0, 10**6, 700).tolist()
    assert derived.permutation(20).tolist() == own.permutation(20).tolist()
