"""What holds for every test: properties are tried without a deadline, for machines may be busy."""

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
