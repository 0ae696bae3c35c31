"""`bench log` and `bench reproduce`: what logs say of their runs, and runs made again from them."""
