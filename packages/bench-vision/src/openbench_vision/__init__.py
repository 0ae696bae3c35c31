"""Questions about images: MMMU, MMMU-Pro, MathVista, DocVQA, ChartQAPro, MMStar."""
