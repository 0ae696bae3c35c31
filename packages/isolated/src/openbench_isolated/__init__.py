"""The executor `isolated` of `bench eval`: each benchmark package in an environment of its own."""
