"""The error that all commands share."""


class UserError(Exception):
    """What the user can mend, in one line."""
