"""Shards: the samples of a run's jobs divided among workers, each of which runs its part with the very same engine.

A host journals what ended, counts failures, shows progress and gives jobs up; workers only run. What a worker leaves
when it dies goes to another.

    ledger      who runs which samples, and what has become of them; free of how workers are reached
    part        what an engine in a worker sees: tasks narrowed to some samples, and a recording that tells the host
    forked      workers that are processes on this machine, divided from the host
    sharing     whether to divide, and how the connections of a model are shared
    pausing     a pause that all processes of a machine keep, when one is told to slow down

An executor that runs samples on other machines is a `LocalExecutor` with another `run_chosen`, as in openbench-ray:

    def run_chosen(self, chosen, roles, recording):
        ledger = Ledger(recording, [each.task for each in chosen], roles)
        ...
            keys = ledger.take(worker, most)
            ...  # the worker gets the plan, these keys and a Share, and runs the engine with a PartRecording
        ...
            ledger.heard(worker, told)
        return ledger.outcomes()
"""
