"""Commands for logs: show, rescore, resume, prune and reproduce."""
