"""Machine translation: the test sets of WMT and FLORES-200."""
