"""What holds for the tests of all packages."""

import signal
import zlib
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A shell's background jobs ignore SIGINT, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--share`."""
    parser.addoption(
        "--share", type=float, default=1.0, help="run this share of the tests marked stress, always the same"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out stress tests beyond the share that is asked for."""
    most = config.getoption("--share") * 2**32
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        is_left_out = "stress" in item.keywords and zlib.crc32(item.nodeid.encode()) >= most
        (left_out if is_left_out else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the ten files whose tests take longest, in seconds of all processes together."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.location[0]] += report.duration
    terminalreporter.section("slowest 10 files")
    for file, took in seconds.most_common(10):
        terminalreporter.line(f"{took:8.1f} s  {file}")


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what commands remember of what users name apart from this user's, and the same for all processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
