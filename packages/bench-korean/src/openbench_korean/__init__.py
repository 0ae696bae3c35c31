"""Korean benchmarks: exams, language, culture, mathematics, reading, bias and ethics."""
