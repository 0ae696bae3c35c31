"""The `bench` command: one file a subcommand, each imported when it is called."""
