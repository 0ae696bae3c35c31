"""What goes to the workers, in parts of what size, and what is said when that fails."""

import os
import pickle
from itertools import zip_longest
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ray.exceptions import RuntimeEnvSetupError, WorkerCrashedError

from openbench.datasets.store import Content, Entry, Pin, Store
from openbench.errors import OpenbenchError, UsageError
from openbench.run.plan import Plan
from openbench_bundles.maintenance import verify
from openbench_fast.process_count import Share
from openbench_isolated.requirements import parse
from openbench_ray.connecting import _reason, connect
from openbench_ray.data import own_store, received, sent
from openbench_ray.dispatch import LEAST, MOST, Dispatch, shard_size
from openbench_ray.driver import Driver, _Task
from openbench_ray.environment import needed, runtime_environment
from openbench_ray.failures import environment_failure
from openbench_ray.messages import Ended, Prepare, Run, Setup
from openbench_ray.variables import passed_on, pip_options


@given(waiting=st.integers(1, 100_000), workers=st.integers(1, 64), connections=st.integers(0, 1_000))
def test_parts_shrink_so_that_all_end_together(waiting, workers, connections):
    sizes, left = [], waiting
    while left > 0:
        sizes.append(min(left, shard_size(left, workers, connections)))
        assert sizes[-1] >= min(LEAST, left / workers)
        left -= sizes[-1]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= MOST
    assert sizes[-1] <= LEAST


@given(waiting=st.integers(1, 10_000), workers=st.integers(1, 64), each=st.integers(1, LEAST), more=st.integers(0, 63))
def test_all_connections_are_in_use_as_long_as_samples_wait(waiting, workers, each, more):
    """Each worker uses as many connections as it has, and has samples."""
    connections = each * workers + min(more, workers - 1)
    in_use, left = 0, waiting
    for place in range(workers):
        size = min(left, shard_size(left, workers, connections))
        in_use += min(size, Share(workers, place).of(connections))
        left -= size
    assert in_use >= min(waiting, each * workers)


def test_ten_samples_on_five_workers_and_five_connections():
    """As `bench eval mmlu --sample --ray --max-connections 5` has it."""
    sizes = []
    while sum(sizes) < 10:
        sizes.append(shard_size(10 - sum(sizes), 5, 5))
    assert sizes[0] == 2
    assert len(sizes) >= 5


@pytest.mark.parametrize(
    ("asked", "connections", "workers"), [(None, None, 6), (None, 4, 4), (9, None, 9), (9, 4, 4), (2, 4, 2)]
)
def test_there_are_never_more_workers_than_connections(asked, connections, workers):
    plan = Plan(jobs=[], generate={"max_connections": connections} if connections else {})
    dispatch = Dispatch(None, None, [], SimpleNamespace(plan=plan), asked)
    assert dispatch.workers(cpus=6) == workers


class Grants:
    """Samples without number, and a link that keeps the shares of parts."""

    waiting, over, given_up = 100_000, False, frozenset()

    def __init__(self):
        self.shares = {}

    def lease(self, number, most):
        return {"job": [(number, 1)] * most}

    def send(self, run):
        self.shares[run.number] = pickle.loads(run.shard)  # noqa: S301 - ours


@pytest.fixture
def growing(monkeypatch):
    """Return a dispatch of so many connections, and what it grants."""
    monkeypatch.setattr("openbench_ray.dispatch.make_shard", lambda _plan, _chosen, _keys, share: share)

    def make(connections):
        grants = Grants()
        plan = Plan(jobs=[], generate={"max_connections": connections} if connections else {})
        return Dispatch(grants, grants, [], SimpleNamespace(plan=plan), None), grants.shares

    return make


def resize(dispatch, cpus):
    dispatch._workers = dispatch.workers(cpus)
    dispatch._hand_out()


def end(dispatch, number):
    del dispatch._out[number]
    dispatch._hand_out()


def test_a_cluster_that_grows_sends_no_more_at_once_than_it_may(growing):
    dispatch, shares = growing(16)
    resize(dispatch, 2)
    assert [share.of(16) for share in shares.values()] == [8, 8]
    resize(dispatch, 8)
    assert len(shares) == 2  # they have all connections
    end(dispatch, 0)
    assert [shares[number].of(16) for number in sorted(shares)] == [8, 8, 2, 2, 2, 2]
    end(dispatch, 1)
    assert [share.of(16) for share in list(shares.values())[2:]] == [2] * 8


def test_what_is_left_of_the_connections_is_used(growing):
    dispatch, shares = growing(8)
    resize(dispatch, 3)
    resize(dispatch, 2)
    end(dispatch, 0)  # three connections are free, and a fair share would be four
    assert [share.of(8) for share in shares.values()] == [3, 3, 2]
    end(dispatch, 1)
    assert [share.of(8) for share in shares.values()][3:] == [4]


@given(
    connections=st.integers(0, 40),
    sizes=st.lists(st.integers(0, 12), min_size=1),
    ends=st.lists(st.integers(0, 30)),
)
def test_parts_that_are_out_never_have_more_than_all_connections(connections, sizes, ends):
    grants = Grants()
    plan = Plan(jobs=[], generate={"max_connections": connections} if connections else {})
    dispatch = Dispatch(grants, grants, [], SimpleNamespace(plan=plan), None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("openbench_ray.dispatch.make_shard", lambda _plan, _chosen, _keys, share: share)
        for size, number in zip_longest(sizes, ends):
            if size is not None:
                resize(dispatch, size)
            if number in dispatch._out:
                end(dispatch, number)
            whole = connections or 10**6
            out = [grants.shares[number].of(whole) for number in dispatch._out]
            assert 1 <= sum(out) <= whole
            if len(out) < dispatch._workers:
                assert not connections or sum(out) == connections
        for number in list(dispatch._out):
            end(dispatch, number)
        for number in list(dispatch._out):  # none has the share of another size any more
            end(dispatch, number)
        assert len(dispatch._out) == dispatch._workers


class Crashed:
    """A stream whose worker is no more."""

    def __next__(self):
        raise WorkerCrashedError


@pytest.mark.parametrize(
    ("node", "cancelled_at", "blame"), [("n", None, True), ("n", 1.0, False), ("", None, False), ("lost", None, False)]
)
def test_a_worker_that_ends_itself_when_it_is_cancelled_is_no_samples_fault(monkeypatch, node, cancelled_at, blame):
    monkeypatch.setattr("openbench_ray.driver.is_alive", lambda node: node == "n")
    said = []
    driver = Driver(SimpleNamespace(send=said.append))
    driver._tasks[7] = _Task(Crashed(), node=node, cancelled_at=cancelled_at)
    driver._hear(7)
    assert said == [Ended(7, "a crash", blame=blame)]


@pytest.mark.parametrize("address", ["a..b:80", f"{'x' * 70}:80"])
def test_an_address_that_there_cannot_be(address):
    with pytest.raises(OpenbenchError) as error:
        connect(address)
    assert str(error.value) == f"--address {address}: no cluster is reachable there: it is not a valid address."


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_workers_of_a_user_share_a_folder_that_is_theirs_alone(temporary):
    own = temporary / f"openbench-{os.getuid()}"
    assert own_store() == own_store() == own / "data"
    assert own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)
    other = own_store()
    assert other.parent.parent == temporary
    assert other.parent != own
    assert other.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["link", "file", "other"])
def test_a_folder_that_someone_else_made_is_not_used(temporary, tmp_path, monkeypatch, kind):
    own = temporary / f"openbench-{os.getuid()}"
    if kind == "link":
        own.symlink_to(tmp_path)
    elif kind == "file":
        own.write_text("")
    else:
        own.mkdir(mode=0o700)
        uid = os.getuid() + 1
        monkeypatch.setattr("os.getuid", lambda: uid)
        own = own.rename(temporary / f"openbench-{uid}")
    found = own_store().parent
    assert (found.parent, found.is_dir()) == (temporary, True)
    assert found != own


def test_a_damaged_copy_on_a_worker_is_replaced_and_a_sound_one_asked_for_once(tmp_path, monkeypatch):
    data = b'{"n": 1}'
    here = Store(tmp_path / "here")
    entry = here.get(Pin("https://a.test/n.jsonl", "json"), lambda: Content([{"n": 1}], lambda: data)).entry
    bundle, asked = sent([entry]), []

    def ask():
        asked.append(1)
        return bundle

    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "there"))
    there = Store.here().folder(entry.key)
    received([entry.key], ask)
    (there / "source").write_bytes(b"")
    received([entry.key], ask)
    assert verify(Entry(there)) == [{"n": 1}]
    received([entry.key], ask)
    received([entry.key], ask)
    assert len(asked) == 2


def test_the_kernel_goes_along_with_all_that_it_needs_and_without_ray():
    found = {each.name: each for each in needed([], ["openai==3.20.0", "acme-tool>=2"])}
    assert {"openbench-core", "openbench-ray", "inspect-ai", "datasets"} <= found.keys()
    assert "ray" not in found
    assert found["openai"].arguments == ("openai==3.20.0",)
    assert found["acme-tool"].arguments == ("acme-tool>=2",)
    assert [*found][:2] == ["openai", "acme-tool"]  # what cannot be had is found out first


def test_a_runtime_environment_names_packages_and_where_wheels_are(tmp_path, monkeypatch):
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_TRUSTED_HOST", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://a.test/simple https://b.test/simple")
    wheel = tmp_path / "acme-1.0-py3-none-any.whl"
    wheel.write_bytes(b"one")
    out = tmp_path / "out"
    out.mkdir()
    requirements = [parse("numpy==2.0"), parse(f"acme @ {wheel.as_uri()}")]
    made = runtime_environment(requirements, out)
    [kept] = out.rglob("*.whl")
    assert made == {
        "working_dir": str(out),
        "pip": {
            "packages": ["numpy==2.0", f"${{RAY_RUNTIME_ENV_CREATE_WORKING_DIR}}/{kept.parent.name}/{wheel.name}"],
            "pip_check": False,
            "pip_install_options": [
                "--disable-pip-version-check",
                "--extra-index-url",
                "https://a.test/simple",
                "--extra-index-url",
                "https://b.test/simple",
            ],
        },
        "config": {"setup_timeout_seconds": 1800},
    }
    wheel.write_bytes(b"two")  # the same version, with other content: nodes must not take it for the same
    other = tmp_path / "other"
    other.mkdir()
    assert runtime_environment(requirements, other)["pip"] != made["pip"]


def test_a_password_of_an_index_is_no_public_thing(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:hunter22@a.test/simple")
    with pytest.raises(UsageError) as error:
        pip_options()
    assert str(error.value) == (
        "PIP_INDEX_URL contains a password, which everyone on the cluster could read. Put it in the netrc or pip.conf "
        "of the nodes, and remove it from the variable."
    )


def test_workers_get_keys_and_addresses_of_models_and_what_is_named(monkeypatch):
    for name in ("ACME_API_KEY", "ACME_BASE_URL", "ACME_API_BASE", "ACME_WORD", "ACME_OTHER"):
        monkeypatch.setenv(name, name.lower())
    got = passed_on(["ACME_WORD"])
    assert {name for name in got if name.startswith("ACME_")} == {
        "ACME_API_BASE",
        "ACME_API_KEY",
        "ACME_BASE_URL",
        "ACME_WORD",
    }
    assert "PATH" not in got


def test_messages_show_nothing_of_what_they_carry():
    setup = Setup({"ACME_API_KEY": "planted"}, [])
    texts = [repr(setup), repr(Prepare(None, pickle.dumps(setup), b"planted")), repr(Run(1, b"planted"))]
    assert not [text for text in texts if "planted" in text]


def test_what_pip_says_is_told_in_a_line():
    said = (
        "Failed to set up runtime environment.\n[Node 10.0.0.7] Traceback (most recent call last):\n  File …\n"
        "Last 50 lines of stdout:\n    Looking in indexes: …\n"
        "    ERROR: Could not find a version that satisfies the requirement acme==1 (from versions: none)\n"
        "    ERROR: No matching distribution found for acme==1\n"
    )
    assert environment_failure(RuntimeEnvSetupError(said)) == (
        "the packages of this run cannot be installed on the node 10.0.0.7: Could not find a version that satisfies "
        "the requirement acme==1 (from versions: none); No matching distribution found for acme==1. If workers "
        "already have them, add --no-install."
    )


def test_another_version_of_ray_or_python_is_named():
    """In the words of Ray's own check."""
    from ray._private.utils import check_version_info

    with pytest.raises(RuntimeError) as error:
        check_version_info({"ray_version": "2.9.0", "python_version": "3.9.1"}, "here")
    told = _reason(error.value)
    assert told.startswith("the cluster has Ray 2.9.0 and Python 3.9.1, but this environment has Ray ")
    assert told.endswith(". Both must match: install the cluster's versions here.")
