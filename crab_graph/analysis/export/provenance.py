"""What every export says about where it comes from."""

from datetime import UTC, datetime
from typing import Any

from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.runs.store import CONFIG
from crab_graph.runs.versions import versions


def run_stamp(run: Run) -> dict[str, Any]:
    """Return what a run's results depend on, without paths and without credentials."""
    config = run.config.model_dump(mode="json", exclude={"benchmark", "personas", "schema_version"})
    return {
        **config,
        "agent_is_reference": any(record.agent_is_reference for record in run),
        "user_is_rule_based": config["user_engine"] == "rules",
        "exported_with": versions()["crab-graph"],
    }


def begun_at(run: Run) -> datetime:
    """Return when a run was begun; no record keeps a clock."""
    return datetime.fromtimestamp((run.directory / CONFIG).stat().st_mtime, UTC)


def episode_stamp(record: EpisodeRecord) -> dict[str, Any]:
    """Return who took part in an episode, and how it was graded."""
    return {
        **record.model_dump(
            include={
                "episode_id",
                "task_id",
                "stratum",
                "date_mode",
                "party",
                "condition",
                "persona",
                "dimensions",
                "trial",
                "seed",
                "agent",
                "agent_is_reference",
                "toolset",
                "user_engine",
                "user_model",
                "prompt_sha256",
                "outcome",
                "passed",
                "fault",
                "primary_failure",
            },
            mode="json",
        ),
        "strict_passed": bool(record.strict.get("passed")),
        "verifier_sha256": record.stamp.get("verifier"),
    }
