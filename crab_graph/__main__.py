"""`python -m crab_graph` is the command `crab-graph`."""

import sys

from crab_graph.cli import main

sys.exit(main())
