"""What going on with a run from somebody else would do, and whether the user wants that.

One's own runs are known by their seals (`crab_graph.runs.owner`). Any other is gone on with when
the user says so, after hearing which modules it imports and which hosts it contacts. That is
remembered by a seal of another kind, with which no key goes to a host that the run alone names.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from crab_graph.agents.reference import AGENTS
from crab_graph.errors import UntrustedRun
from crab_graph.models.chat import hosts_of, is_address, is_provider
from crab_graph.models.hosts import hosts_in, without_own
from crab_graph.runs.config import CONFIG, RunConfig
from crab_graph.runs.owner import OWNER, Authorship, authorship_of, seal_file
from crab_graph.settings import TrustSettings


class Named(NamedTuple):
    """The modules that going on with a run imports, and the hosts that it contacts."""

    modules: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return both in words."""
        modules = " and ".join(self.modules) or "no module of its own"
        hosts = " and ".join(self.hosts) or "nobody"
        return f"imports {modules} and contacts {hosts}"


def named_in(specs: Sequence[str | None], checkpoint: str | None = None) -> Named:
    """Return what an agent, a model and an address of checkpoints name."""
    given = [one for one in specs if one]
    hosts = [host for spec in given for host in _hosts_of(spec)]
    if checkpoint is not None:
        hosts += hosts_in(checkpoint)
    modules = (module for spec in given for module in _modules_of(spec))
    return Named(tuple(dict.fromkeys(modules)), tuple(dict.fromkeys(hosts)))


def check_trusted(
    directory: Path, named: Named, trust: TrustSettings, *, is_changed: bool = False
) -> frozenset[str]:
    """See that the user wrote a run, or trusts it; return the hosts to which no key goes.

    A run is no longer as it was written where it `is_changed` beside its configuration.

    Raises:
        UntrustedRun: neither is so; nothing was imported, and nobody contacted.
    """
    file = directory / CONFIG
    standing = authorship_of(file)
    if standing is Authorship.WRITTEN and not is_changed:
        return frozenset()
    if not trust.trust and (standing is Authorship.FOREIGN or is_changed):
        owner = directory / OWNER
        is_unsealed = standing is Authorship.FOREIGN and owner.exists()
        why = f"{owner} holds no seal of yours on {file}" if is_unsealed else ""
        raise UntrustedRun(directory, str(named), why)
    if standing is Authorship.FOREIGN:
        with suppress(OSError):  # where nothing can be written it is asked for again
            seal_file(file, file.read_text(encoding="utf-8"), Authorship.TRUSTED)
    return without_own(named.hosts, trust.key_hosts)


def is_among(config: RunConfig, specs: Collection[str | None]) -> bool:
    """Return whether a run's configuration names all of these agents and models itself."""
    differed = {one.get(when) for one in config.mismatches for when in ("before", "now")}
    return {one for one in specs if one} <= {config.agent, config.user_model, *differed}


def _modules_of(spec: str) -> Iterator[str]:
    module, mark, _ = spec.partition(":")
    if is_address(spec):
        return
    if not mark:
        if spec not in AGENTS.built_in:
            yield f"the installed agent '{spec}'"
    elif "." in module or not is_provider(module):
        yield f"the module '{module}'"


def _hosts_of(spec: str) -> Iterator[str]:
    module, mark, _ = spec.partition(":")
    if is_address(spec):
        yield from hosts_of(spec)
    elif mark and "." not in module and is_provider(module):
        yield f"the provider '{module}'"
        yield from hosts_of(spec)
