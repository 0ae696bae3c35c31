"""Mathematics for openbench: word problems and competitions, scored by number and by formula."""
