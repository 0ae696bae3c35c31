"""The executor `ray` of `bench eval`: the samples of a run divided among the workers of a Ray cluster.

    executor      the options of `bench eval`; imports neither Ray nor the engine
    remote        a `LocalExecutor` whose samples run on the cluster
    dispatch      hands parts of the run to workers, and takes what they say of samples
    environment   what workers need, as a runtime environment of Ray; wheels: of what is installed here from a path
    variables     which variables workers get, and which options of pip
    data          pinned rows, from the store here to those of workers
    link          starts the driver, and speaks with it; messages: what is said
    driver        the process that is a driver of Ray; connecting, watching: the cluster as it sees it
    task          what a worker does

The driver is a process of its own: Ray ends its driver, and writes to its stderr, when a cluster is lost. It passes on
bytes from one side to the other, and holds no sample.
"""
