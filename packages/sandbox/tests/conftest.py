import shutil

import pytest

from openbench_sandbox import stop

KINDS = ["namespaces", *(["bwrap"] if shutil.which("bwrap") else [])]


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=KINDS)
def kind(request):
    """Each way to build a jail: the one without bubblewrap always, the other where it is installed."""
    return request.param


@pytest.fixture(scope="session", autouse=True)
def _no_process_is_left():
    yield
    stop()
