"""Korean: exams, language, culture, mathematics, reading, bias and conduct."""
