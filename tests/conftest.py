"""What holds for every test.

Properties are tried without a deadline, for machines may be busy; and Ctrl-C reaches tests that
send it to themselves, also where a shell began them in the background, with the signal ignored.
"""

import signal

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
signal.signal(signal.SIGINT, signal.default_int_handler)
