"""Machine translation: WMT's test sets and FLORES-200."""
