"""What holds for every law: it takes the time it takes, for a machine that is busy is no fault of the program."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
