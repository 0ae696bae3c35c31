"""The executor `ray` of `bench eval`: runs the samples of a run on the workers of a Ray cluster.

executor      the options of `bench eval`; imports neither Ray nor the engine
remote        a `LocalExecutor` whose samples run on the cluster
dispatch      sends shards of the run to workers, and receives their results
environment   the workers' packages, as a Ray runtime environment; wheels: builds packages installed from a path
variables     the environment variables and pip options for workers
data          copies pinned rows from the store here to those of the workers
link          starts the driver and communicates with it; messages: the messages
driver        the process that is a Ray driver; connecting, watching: connects to and watches the cluster
task          runs a shard on a worker

The driver is a separate process, because Ray ends its driver, and writes to its stderr, when a cluster is lost. It
forwards bytes between `bench eval` and the workers, and holds no samples.
"""
