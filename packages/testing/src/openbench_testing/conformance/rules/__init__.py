"""The rules: functions from evidence to a complaint, or to None where there is nothing to complain of.

A complaint says what the rule is, what was found and the way out. `InapplicableError` says that a rule has no object.
"""
