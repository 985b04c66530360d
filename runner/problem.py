"""What a command line says when its user has to mend something."""


class Problem(Exception):  # noqa: N818 - the user's word for it
    """Something that the user can mend: what is wrong, and what to do."""
