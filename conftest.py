"""What holds for the tests of all packages."""

import signal

from hypothesis import HealthCheck, settings

# A shell's background jobs ignore SIGINT, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
