"""The 13 tools that know no domain: platform, payments, the user's wallet (paper table 6)."""

from crab_graph.tools.payments import PAYMENT_TOOLS
from crab_graph.tools.platform import PLATFORM_TOOLS
from crab_graph.tools.wallet import WALLET_TOOLS

SHARED_TOOLS = (*PLATFORM_TOOLS, *PAYMENT_TOOLS, *WALLET_TOOLS)
