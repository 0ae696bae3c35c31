"""The rules: functions from evidence to a complaint, or to None.

A complaint states the rule, the finding and the fix. `InapplicableError` means that a rule does not apply.
"""
