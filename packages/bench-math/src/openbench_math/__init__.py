"""Mathematics for openbench: word problems and competitions, scored by numeric value and by formula."""
