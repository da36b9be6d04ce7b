"""A model by its name, `provider:model`: anything LangChain's `init_chat_model` knows.

    export OPENAI_API_KEY=…
    crab-graph run bench --agent openai:gpt-5-mini --out runs/mini

Settings follow the name: `openai:gpt-5-mini?reasoning_effort=low&timeout=60`. Here the provider's
address is set to a server without a model, so that the example runs offline.
"""

import os
import sys

import crab_graph as cg


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with cg.open_mock_server() as server:
        os.environ["OPENAI_BASE_URL"] = server.address
        os.environ.setdefault("OPENAI_API_KEY", "not-needed-here")
        episode = cg.run_episode(bench[0], agent="openai:mock?temperature=0", user="generic")
    return f"{episode.agent}: {episode.outcome} after {len(episode.messages)} messages"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
