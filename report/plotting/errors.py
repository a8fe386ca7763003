class UserError(Exception):
    """What the user can mend, in one line."""
