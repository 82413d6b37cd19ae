"""What is told of a planted fault, with short names of the tests that see it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    file: str  # of the sources
    old: str  # occurs once in the file
    new: str
    seenBy: tuple  # a test program and its arguments, or ctest and its arguments
    says: str = ""  # what the output must contain, a regular expression
    targets: tuple | None = None  # what is built; the test program, if none is told
    environment: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        if self.targets is None:
            object.__setattr__(self, "targets", (self.seenBy[0],))


def case(program, pattern):
    """Test cases whose titles fit the pattern; doctest would end it at a comma."""
    return (program, "--test-case=" + pattern.replace(",", "\\,"))


def file(program, name):
    """All test cases of a file."""
    return (program, "--source-file=*" + name)


def formats(names):
    """Leaves the other formats out of the tables of simt_test."""
    return {"SPECMV_SIMT_FORMATS": names}


PRODUCTS = case("simt_test", "every plan of every format multiplies every adversarial matrix")
PACKINGS = case("simt_test", "what a GPU packs equals what the host packs")
NEXT_PIECES = case("simt_test", "the same holds where a block*")
EVERYTHING = ("quick_tests",)  # built for tests that run several programs
