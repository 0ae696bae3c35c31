"""Lets the cache of responses tell epochs apart: without it, the first epoch's answer would serve them all."""

from inspect_ai.solver import Generate, Solver, TaskState, chain, solver


async def know_epoch(state: TaskState, generate: Generate) -> None:
    """Make a state the one of the context, where `Model.generate` reads the epoch for the cache's key.

    A chain does so with the state that each of its solvers returns. It also records what they changed, which takes as
    long as a fifth of all that is done for a sample, so call it only where there is a cache.
    """
    await _CHAIN(state, generate)


@solver
def _as_it_is() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect's signature
        return state

    return solve


_CHAIN = chain(_as_it_is())
