"""A model on a server of your own, `http(s)://host/v1#model`: vLLM, Ollama, llama.cpp, a gateway.

The key, if the server wants one, is read from OPENAI_API_KEY. Settings follow the model's name, as
in `http://localhost:8000/v1#my-model?temperature=0.2&max_retries=5`. Here both seats are taken: the
agent's, and the user's by a model that follows the user's prompt.
"""

import sys

import crab_graph as cg


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with cg.open_mock_server() as server:
        spec = f"{server.address}#mock"
        episode = cg.run_episode(
            bench[0], agent=spec, user="ruse", engine="llm", user_model=f"{spec}?temperature=0.7"
        )
    seats = ", ".join(
        f"{party} {sum(one['calls'] for one in models.values())} calls"
        for party, models in episode.usage.items()
    )
    return f"{episode.outcome}: {seats}; played by no model: {', '.join(episode.mock_seats)}"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
