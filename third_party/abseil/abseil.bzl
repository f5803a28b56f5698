"""Names for the parts of Abseil."""

def abseil_library(name):
    """A part of Abseil by the name a reader expects; the whole of it is linked as needed."""
    native.alias(
        name = name,
        actual = ":abseil",
    )
