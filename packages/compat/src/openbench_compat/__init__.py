"""Import paths of earlier releases; `openbench.registry.compat` makes them available under `openbench`."""
