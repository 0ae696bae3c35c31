"""Which failed requests to models are sent again, and when."""
