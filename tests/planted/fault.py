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
    targets: tuple = ()  # what is built; the test program, if it is one
    environment: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        if not self.targets:
            object.__setattr__(self, "targets", (self.seenBy[0],))


def case(program, pattern):
    """Test cases whose titles fit the pattern."""
    return (program, "--test-case=" + pattern)


def file(program, name):
    """All test cases of a file."""
    return (program, "--source-file=*" + name)


PRODUCTS = case("simt_test", "every plan of every format multiplies every adversarial matrix")
PACKINGS = case("simt_test", "what a GPU packs equals what the host packs")
NEXT_PIECES = case("simt_test", "the same holds where a block*")
EVERYTHING = ("quick_tests",)  # built for tests that run several programs
