"""The `bench` command: one file per subcommand, imported when it is called."""
