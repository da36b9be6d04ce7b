"""What users say where they have no wish, held against what agents hear of it.

Who hears `I do not mind whether it is included` as a wish that it is asks nothing more, and books
by it.
"""

from collections.abc import Iterator

from crab_graph.agents.reference.wishes import WishReader
from crab_graph.domain.declaration import Declaration
from crab_graph.domain.derived_lexicon import lexicon

_TODAY = "2027-01-10"


def misheard_denials(declaration: Declaration) -> Iterator[str]:
    """Yield the answers of users without a wish that are heard as one, with what to do."""
    known = lexicon(declaration)
    reader = WishReader(known, declaration)
    for key, words in known.facts.items():
        for text in (*words.none, *words.none_throughout):
            for heard, value in reader.read([text], _TODAY).items():
                yield (
                    f"'{key}': '{text}', where there is no such wish, is heard as the wish "
                    f"'{heard}' for {value!r}; word wording.none without values"
                )
