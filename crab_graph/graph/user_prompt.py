"""The prompt of a model that plays the user, as a run would compose it (paper A.2)."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crab_graph.domain.contract import find_domain
from crab_graph.domains.task import Task, check_task
from crab_graph.given_values import a_text
from crab_graph.personas.condition import ResolvedCondition, parse_condition, resolve
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.personas.prompt import Prompt, changed_factors, compose_prompt, diff_prompts
from crab_graph.settings import DOMAIN


@dataclass(frozen=True, slots=True)
class UserPrompt:
    """What a model is told that plays a user under a condition whose persona is settled."""

    condition: ResolvedCondition
    prompt: Prompt

    @property
    def text(self) -> str:
        """The whole prompt."""
        return self.prompt.text

    @property
    def sha256(self) -> str:
        """Hash of the text, as it is recorded with an episode."""
        return self.prompt.sha256

    def changed(self, other: "UserPrompt") -> list[str]:
        """Return the factors whose passages are others in another prompt."""
        return changed_factors(self.prompt, other.prompt)

    def diff(self, other: "UserPrompt") -> str:
        """Return what another prompt changes, as a unified diff; nothing where they are equal."""
        names = (str(self.condition), str(other.condition))
        return diff_prompts(self.prompt, other.prompt, names)

    def as_json(self) -> dict[str, Any]:
        """Return the document that `prompt --json` prints."""
        return {
            "condition": str(self.condition),
            "persona": self.condition.persona_name,
            "dimensions": list(self.condition.dimensions),
            "sha256": self.sha256,
            "prompt": self.text,
            "passages": [asdict(one) for one in self.prompt.passages],
        }


def user_prompt(
    condition: str,
    task: Task | None = None,
    *,
    persona: str | None = None,
    personas: str | os.PathLike[str] | None = None,
    domain: str = DOMAIN,
    seed: int = 0,
    trial: int = 0,
) -> UserPrompt:
    """Return what a model that plays the user is told under a condition.

    Args:
        condition: Such as `generic`, `ruse` or `terse+d2`.
        task: Whose user it is; without one what the user knows is left open.
        persona: The persona, where the condition would draw one. Otherwise it is the one that a run
            with this seed meets in this trial.
        personas: Directory of prompt fragments of your own, over the built-in ones.
        domain: Whose facts fragments may name, where there is no task.
        seed: That a persona is drawn with.
        trial: That a persona is drawn for.

    Raises:
        UsageError: the condition, a persona or a fragment is not known.
    """
    if task is not None:
        check_task(task)
    # Fragments may name facts of the domain.
    fact_keys = (find_domain(domain) if task is None else task.domain).fact_keys
    fragments = load_fragments(None if personas is None else Path(personas), list(fact_keys))
    parsed = parse_condition(a_text("a condition", condition), fragments.added)
    if persona is not None:
        parsed = parsed.with_persona(persona, fragments.added)
    settled = resolve(parsed, seed, "" if task is None else task.id, trial)
    briefing = None if task is None else task.briefing
    return UserPrompt(settled, compose_prompt(settled, briefing, fragments=fragments))
