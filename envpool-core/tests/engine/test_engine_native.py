# SPDX-License-Identifier: Apache-2.0
"""A pool that a program in C uses, without Python: the same results, the same refusals."""

from __future__ import annotations

import ctypes
import gc
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from compiling import library
from envpool.errors import ConfigError, StateError

OK, CONFIG, ACTION, ENV_ID, STATE, TIMEOUT, WORKER = range(7)
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
NAMES = ["bool", *INTEGERS, "float32", "float64"]
DTYPES = {np.dtype(name): number for number, name in enumerate(NAMES)}
FOREVER = ctypes.c_double(-1)


class Consumer:
    """The functions of native_consumer.c on one pool; ctypes calls them without the GIL."""

    def __init__(self, library, pool):
        self.library, self.capsule = library, pool.c_pool()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.c = ctypes.c_void_p(get(self.capsule, b"envpool.c_pool"))

    def text(self):
        return self.library.text(self.c).decode()

    def reset(self, ids=None, rows=None, seeds=None):
        ids, seeds = array(ids, np.int32), array(seeds, np.int64)
        return self.library.reset(self.c, at(ids), size(ids, rows), at(seeds))

    def send(self, actions, ids=None):
        actions, ids = np.asarray(actions), array(ids, np.int32)
        return self.library.send_actions(
            self.c, at(ids), len(actions), at(actions), DTYPES[actions.dtype]
        )

    def recv(self, name, capacity, dtype=np.int32, timeout=FOREVER, width=1):
        data, rows = self.room(capacity, width, dtype)
        dtype = DTYPES[np.dtype(dtype)]
        status = self.library.receive(
            self.c, timeout, capacity, name.encode(), dtype, at(data), ctypes.byref(rows)
        )
        return status, data[: rows.value]

    def step(self, actions, name, capacity, dtype=np.int32, ids=None, width=1):
        actions, ids = np.asarray(actions), array(ids, np.int32)
        data, rows = self.room(capacity, width, dtype)
        sent = (at(ids), len(actions), at(actions), DTYPES[actions.dtype])
        result = (name.encode(), DTYPES[np.dtype(dtype)], at(data), ctypes.byref(rows))
        return self.library.step(self.c, *sent, capacity, *result), data[: rows.value]

    def room(self, capacity, width, dtype):
        shape = (capacity, width) if width > 1 else (capacity,)
        return np.full(shape, 77, dtype), ctypes.c_int32(0)


def array(values, dtype):
    return None if values is None else np.asarray(values, dtype)


def at(values):
    return None if values is None else ctypes.c_void_p(values.ctypes.data)


def size(ids, rows):
    return len(ids) if rows is None else rows


@pytest.fixture(scope="session")
def compiled():
    """The library of native_consumer.c, compiled as C."""
    source = Path(__file__).parent / "native_consumer.c"
    loaded = ctypes.CDLL(str(library(source)))
    loaded.text.restype = ctypes.c_char_p
    return loaded


@pytest.fixture
def consumer(compiled):
    """Makes the consumer of a pool."""
    return lambda pool: Consumer(compiled, pool)


def test_what_a_pool_says_of_itself(make, compiled, consumer):
    own = consumer(make(num_envs=6, batch_size=4, autoreset="same_step"))
    numbers = (ctypes.c_int32 * 5)()
    assert compiled.header(own.c, numbers) == 1
    assert list(numbers) == [1, 1, 6, 4, 1]
    items = ctypes.c_int64()
    arrays = {"obs": ("int32", 2), "reward": ("float32", 1), "info:seed": ("int64", 1)}
    arrays |= {"trunc": ("bool", 1), "final obs": ("int32", 2)}
    for name, (dtype, count) in arrays.items():
        number = compiled.describe(own.c, name.encode(), ctypes.byref(items))
        assert (number, items.value) == (DTYPES[np.dtype(dtype)], count)
    assert compiled.describe(own.c, b"final reward", ctypes.byref(items)) == -1
    plain = consumer(make(num_envs=1))
    assert compiled.describe(plain.c, b"final obs", ctypes.byref(items)) == -1


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("name", ["Counter", "Pole", "UnevenTrivial", "UnevenBlocking"])
def test_the_results_are_those_of_python(make, consumer, name, num_threads):
    config = {"num_envs": 5, "num_threads": num_threads, "seed": 3}
    pool, other = make(name, **config), make(name, **config)
    own = consumer(pool)
    assert own.reset(rows=5) == OK
    expected = other.reset()
    width = int(np.prod(expected["obs"].shape[1:], dtype=int))
    for step in range(30):
        if step == 0:
            status, obs = own.recv("obs", 5, expected["obs"].dtype, width=width)
        else:
            actions = np.arange(5, dtype=np.int32) % 2
            expected = other.step(actions)
            status, obs = own.step(actions, "obs", 5, expected["obs"].dtype, width=width)
        assert status == OK
        assert np.array_equal(obs.reshape(expected["obs"].shape), expected["obs"])


def test_python_and_c_take_turns(make, consumer):
    pool, other = make(num_envs=3, seed=1), make(num_envs=3, seed=1)
    own = consumer(pool)
    kept = [pool.reset()]
    expected = [other.reset()]
    zeros = np.zeros(3, np.int32)
    for _ in range(8):
        assert own.send(zeros) == OK  # sent by C, received by Python
        kept.append(pool.recv())
        expected.append(other.step(zeros))
        pool.send(zeros)  # the other way round
        status, draws = own.recv("info:draw", 3, np.uint32)
        assert status == OK
        assert np.array_equal(draws, other.step(zeros)["info:draw"])
        kept.append(pool.step(zeros))
        expected.append(other.step(zeros))
    # The pool does not write into results that Python keeps.
    for mine, theirs in zip(kept, expected, strict=True):
        assert all(np.array_equal(mine[key], theirs[key]) for key in mine)


def test_what_c_has_received_python_has_not_seen(make, consumer):
    pool = make(num_envs=2)
    pool.set_result_layouts({"obs": "obs"}, {"obs": "obs", "mask": "*"})
    pool.reset()
    pool.send(np.zeros(2, np.int32))
    assert consumer(pool).recv("obs", 2, width=2)[0] == OK
    with pytest.raises(StateError, match="last observation of the others is unknown"):
        pool.reset_some([0])


def test_same_step_has_the_last_observation(make, consumer):
    own = consumer(make(num_envs=2, autoreset="same_step", goal=3))
    assert own.reset(rows=2) == OK
    assert own.recv("obs", 2, width=2)[0] == OK
    for _ in range(2):
        own.step(np.int32([1, 1]), "obs", 2, width=2)
    status, final = own.step(np.int32([8, 9]), "final obs", 2, width=2)
    assert (status, final.tolist()) == (OK, [[3, 8], [3, 9]])


def test_every_type_of_actions_and_results(make, consumer):
    own = consumer(make(num_envs=2, seed=2**40))
    assert own.reset(rows=2) == OK
    own.recv("obs", 2, width=2)
    for number, name in enumerate(name for name in NAMES[1:] if name != "uint64"):
        status, obs = own.step(np.asarray([number, number + 1], name), "obs", 2, width=2)
        assert (status, obs[:, 1].tolist()) == (OK, [number, number + 1])
    assert own.step(np.asarray([True, False]), "obs", 2, width=2)[1][:, 1].tolist() == [1, 0]
    assert own.send(np.zeros(2, np.uint64)) == ACTION
    assert "numbers of uint64" in own.text()
    status, seeds = own.step(np.zeros(2, np.int32), "info:seed", 2, np.int64)
    assert (status, seeds.tolist()) == (OK, [2**40, 2**40 + 1])
    status, seeds = own.step(np.zeros(2, np.int32), "info:seed", 2, np.int32)
    assert (status, seeds.tolist()) == (OK, [0, 1])
    status, _ = own.step(np.zeros(2, np.int32), "reward", 2, np.float64)
    assert status == 1
    assert "a buffer of float64 for 'reward'" in own.text()


def test_seeds(make, consumer):
    own = consumer(make(num_envs=3))
    assert own.reset(rows=3, seeds=[5, 6, 7]) == OK
    assert own.recv("info:seed", 3, np.int64)[1].tolist() == [5, 6, 7]
    assert own.reset(ids=[2, 0], seeds=[8, 9]) == OK
    assert own.recv("info:seed", 2, np.int64)[1].tolist() == [8, 9]
    assert own.reset(rows=3, seeds=[1, -1, 1]) == 1
    assert own.reset(rows=2) == 1


def test_refusals_leave_the_pool_as_it_was(make, consumer):
    own = consumer(make(num_envs=4))
    assert own.recv("obs", 4)[0] == STATE
    assert "0 results in flight" in own.text()
    own.reset(rows=4)
    assert own.recv("info:env_id", 3)[0] == STATE
    assert "room for 3 rows" in own.text()
    assert own.recv("info:env_id", 4)[1].tolist() == [0, 1, 2, 3]
    for actions, ids, status, words in (
        ([0, 0], [0, 4], ENV_ID, "4"),
        ([0, 0], [1, 1], ENV_ID, "1"),
        ([0, 0], None, ENV_ID, "2 rows of actions without env ids"),
        ([0, 1000], [0, 1], ACTION, "1000"),
        ([0, 0.5], [0, 1], ACTION, "0.5"),
    ):
        assert own.send(actions, ids) == status
        assert words in own.text()
    assert own.send([0, 0], [3, 1]) == OK
    assert own.recv("info:env_id", 4)[1].tolist() == [3, 1]


def test_arrays_that_change_their_shape_are_refused(make, consumer):
    with pytest.raises(ConfigError, match="arrays that change their shape"):
        make("Faulty", num_envs=1).c_pool()


def test_a_timeout_loses_nothing(module, make, consumer):
    own = consumer(make("Gated", num_envs=2, num_threads=2, gated=True))
    own.reset(rows=2)
    assert own.recv("info:env_id", 2)[0] == OK
    module.close_gates([0])
    own.send([1, 1])
    assert own.recv("info:env_id", 2, timeout=ctypes.c_double(0.01))[0] == TIMEOUT
    module.open_gates()
    assert own.recv("obs", 2, width=2)[1].tolist() == [[1, 1], [1, 1]]


def test_asynchronous(make, compiled, consumer):
    pool = make(num_envs=6, batch_size=2, num_threads=2)
    own = consumer(pool)
    own.reset(rows=6)
    counts = np.zeros(6, np.int64)
    assert compiled.play(own.c, 300, at(counts)) == OK
    assert counts.sum() == 600 and (counts > 0).all()
    assert len(pool.recv()["obs"]) == 2


def test_other_threads_run_python_meanwhile(module, make, compiled, consumer):
    own = consumer(make("Gated", num_envs=1, gated=True))
    own.reset(rows=1)
    own.recv("obs", 1, width=2)
    module.close_gates([0])
    status = []
    thread = threading.Thread(
        target=lambda: status.append(own.step(np.int32([4]), "obs", 1, width=2))
    )
    thread.start()
    module.open_gates()  # needs the GIL, which the one in the gate does not hold
    thread.join(60)
    assert status[0][1].tolist() == [[1, 4]]


def test_a_pool_that_is_gone(module, compiled, consumer):
    from engine_pools import make_pool

    pool = make_pool(module, "Counter", num_envs=2)
    own = consumer(pool)
    own.reset(rows=2)
    compiled.retain(own.c)
    own.capsule = None
    del pool
    gc.collect()
    assert own.send([0, 0]) == STATE
    assert "a pool that Python has dropped" in own.text()
    compiled.release(own.c)


def test_a_closed_pool_opens_with_reset(make, consumer):
    pool = make(num_envs=2)
    own = consumer(pool)
    own.reset(rows=2)
    pool.close()
    assert own.recv("obs", 2, width=2)[0] == STATE
    assert own.reset(rows=2) == OK
    assert own.recv("obs", 2, width=2)[1].tolist() == [[0, 0], [0, 0]]


def test_several_players_are_refused(make):
    with pytest.raises(ConfigError, match="several players"):
        make("Crowd", num_envs=1, max_num_players=3).c_pool()


def test_a_forked_child_is_refused(compiled, run_script):
    run_script(f"""
        import ctypes
        consumer = ctypes.CDLL({compiled._name!r})
        consumer.text.restype = ctypes.c_char_p
        pool = make_pool(module, "Counter", num_envs=2)
        capsule = pool.c_pool()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        c = ctypes.c_void_p(get(capsule, b"envpool.c_pool"))
        child = os.fork()
        if child == 0:
            refused = consumer.reset(c, None, 2, None) == {STATE}
            os._exit(0 if refused and b"before fork" in consumer.text(c) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert consumer.reset(c, None, 2, None) == {OK}
    """)


def test_flags_of_a_batch_that_was_sent_for_python(module, consumer):
    """A layout for Python may show neither done nor discount; a program in C asks for both."""
    pool = module.Counter.make({"num_envs": 2, "goal": 2}, "Test/Counter-v0")
    pool.set_result_layouts(("obs",), ("obs",))
    own = consumer(pool)
    pool.async_reset()
    status, discount = own.recv("discount", 2, np.float32)
    assert (status, discount.tolist()) == (OK, [1, 1])
    for done, name in [(0, "done"), (1, "done"), (2, "step_type")]:
        pool.send(np.zeros(2, np.int32))
        if done == 2:  # the autoreset
            pool.recv()
            pool.send(np.zeros(2, np.int32))
        status, flags = own.recv(name, 2, np.int32 if name == "step_type" else np.bool_)
        expected = 1 if name == "step_type" else done
        assert (status, flags.view(np.int32 if name == "step_type" else np.uint8).tolist()) == (
            OK,
            [expected, expected],
        )
    pool.close()


def test_a_step_without_room_sends_nothing(make, consumer):
    pool = make(num_envs=3)
    own = consumer(pool)
    pool.reset()
    zeros = np.zeros(3, np.int32)
    assert own.step(zeros, "obs", 2, width=2)[0] == STATE
    assert "room for 2 rows" in own.text()
    assert own.step(zeros, "obs", 3, np.float64, width=2)[0] == CONFIG
    assert pool.num_in_flight == 0
    status, obs = own.step(zeros, "obs", 3, width=2)
    assert (status, obs[:, 0].tolist()) == (OK, [1, 1, 1])


def test_a_pool_is_dropped_while_a_program_waits_for_it(module, compiled, consumer):
    """One call is in an environment that does not return, another waits for the pool."""
    module.open_gates()
    pool = module.Gated.make({"num_envs": 1, "gated": True}, "Test/Gated-v0")
    pool.set_result_layouts(("obs",), ("obs",))
    own = consumer(pool)
    pool.reset()
    module.close_gates([0])
    pool.send(np.zeros(1, np.int32))
    assert module.await_held(1, 30)
    said = []

    def call(function):
        said.append((function(), own.text()))

    calls = [lambda: own.recv("obs", 1, width=2)[0], lambda: own.reset(rows=1)]
    threads = [threading.Thread(target=call, args=(function,)) for function in calls]
    for thread in threads:
        thread.start()
    opener = threading.Timer(60, module.open_gates)  # so that a failure ends
    opener.start()
    start = time.monotonic()
    del pool
    gc.collect()
    seconds = time.monotonic() - start
    opener.cancel()
    module.open_gates()
    for thread in threads:
        thread.join(30)
    assert [status for status, _ in said] == [STATE, STATE], said
    # Two seconds are for the environment, the rest for a busy machine.
    assert seconds < 15
