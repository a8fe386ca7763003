"""The errors that all commands share."""


class UserError(Exception):
    """An error that the user can mend, in one line."""


class Missing(UserError):
    """A package that drawing needs is missing or too old."""
