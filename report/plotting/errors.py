"""The errors that all commands share."""


class UserError(Exception):
    """What the user can mend, in one line."""


class Missing(UserError):
    """What there is to draw with is not enough."""
