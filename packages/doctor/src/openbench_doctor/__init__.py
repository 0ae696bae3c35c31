"""`bench doctor` and `bench use`: what is wrong with the installed plugins, and who provides a benchmark."""
