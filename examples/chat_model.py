"""Any chat model of LangChain, opened by yourself: tools are bound to it for you.

Your own settings hold: this one streams. crab-graph adds neither retries nor a time limit to an
object of yours; it counts the tokens that it reports.
"""

import sys

from langchain_openai import ChatOpenAI

import crab_graph as cg


def main(directory: str = "example-bench") -> str:
    bench = cg.generate_benchmark(directory, tasks=4, distractors=300, seed=0)
    with cg.open_mock_server() as server:
        model = ChatOpenAI(
            model="mock",
            base_url=server.address,
            api_key="not-needed-here",
            streaming=True,
            stream_usage=True,
            max_retries=2,
        )
        episode = cg.run_episode(bench[0], agent=model, user="generic")
    read = episode.usage["agent"]["mock"]["input_tokens"]
    return f"{episode.agent}: {episode.outcome}, {read} tokens read"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
