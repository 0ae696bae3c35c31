"""The commands that openbench-analysis adds to `bench`."""
