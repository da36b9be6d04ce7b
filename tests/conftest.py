"""What holds for every test.

Properties are tried without a deadline, for machines may be busy; and Ctrl-C reaches tests that
send it to themselves, also where a shell began them in the background, with the signal ignored.
The key and the settings of whoever runs the tests stay untouched.
"""

import os
import signal
import tempfile

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
signal.signal(signal.SIGINT, signal.default_int_handler)

_OWN = tempfile.TemporaryDirectory(prefix="crab-own-")
os.environ.update(CRAB_STATE=f"{_OWN.name}/state", CRAB_CONFIG=f"{_OWN.name}/config")
