"""The executor `isolated` of `bench eval`: runs each benchmark package in a separate environment."""
