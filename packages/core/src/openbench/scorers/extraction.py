"""Placeholder until the real module is written."""
import re
def extract_mcq_answer(completion, letters=None, options=None):
    found = re.findall(r"Answer: ([A-Z])", completion)
    return found[-1] if found else None
