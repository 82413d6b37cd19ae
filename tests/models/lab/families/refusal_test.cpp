// Tests of the families' refusals: every key with a wrong value, options that contradict each
// other, and matrices beyond the index range or the memory.
#include "models/base/memory.h"
#include "models/lab/families/build.h"
#include "tests/models/lab/families/families_testing.h"
#include "tests/sanitized.h"

#include <doctest/doctest.h>

#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace familytest;
using namespace specmv::testing;

namespace {

// Returns the status with which a spec is refused in a process of 256 MiB, on a machine that has
// more; -1 if it is accepted.
int statusInLittleMemory(const std::string &spec) {
  const PretendedMemory much(kMuchMemory);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{size_t{256} << 20, size_t{256} << 20};
    setrlimit(RLIMIT_AS, &limit);
    const auto [status, sentence] = refusal(spec);
    const bool named = contains(sentence, spec);
    _exit(named ? static_cast<int>(status) : 100);
  }
  int result = 0;
  waitpid(child, &result, 0);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

} // namespace

TEST_CASE("an unknown family is refused with the list of families") {
  const auto [status, sentence] = refusal("stencil6:n=3");
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "unknown family \"stencil6\""));
  for (const Family &family : families())
    CHECK(contains(sentence, family.name.str()));
}

TEST_CASE("every key of every family is refused when malformed, negative or overflowing") {
  for (const Family &family : families())
    for (const SpecKey &key : family.keys)
      for (const std::string value : {"x", "-1", "1e30", "99999999999999999999", ""}) {
        const std::string option = key.name.str() + "=" + value;
        CAPTURE(family.name.str());
        CAPTURE(option);
        const auto [status, sentence] = refusal(family.name.str() + ":" + option);
        CHECK(status == Status::badCall);
        CHECK(contains(sentence, option));
      }
}

TEST_CASE("an unknown key of any family is refused with the list of its keys") {
  for (const Family &family : families()) {
    const auto [status, sentence] = refusal(family.name.str() + ":colour=3");
    CHECK(status == Status::badCall);
    CHECK(contains(sentence, "colour=3"));
    for (const SpecKey &key : family.keys)
      CHECK(contains(sentence, key.name.str()));
  }
}

TEST_CASE("options that make no matrix together are refused with their numbers") {
  for (const auto &[given, expected] : std::vector<std::pair<std::string, std::string>>{
           {"random:k=6,cols=5", "random: rows of up to 6 entries (k=6, spread=0) exceed cols=5"},
           {"random:k=4,spread=0.5,cols=5",
            "random: rows of up to 6 entries (k=4, spread=0.5) exceed cols=5"},
           {"band:k=4,half=1,n=9",
            "band: k=4 exceeds the 3 columns of a row's band (half=1, cols=9)"},
           {"band:k=4,half=5,n=3",
            "band: k=4 exceeds the 3 columns of a row's band (half=5, cols=3)"},
           {"blocks:b=3,rows=900,cols=901",
            "blocks: rows=900 and cols=901 must be multiples of b=3"},
           {"blocks:b=3,k=8,band=3,n=90",
            "blocks: k=8 exceeds the 7 blocks of a block row's band (band=3, cols=90)"},
           {"powerlaw:rows=100,max=101", "powerlaw: max=101 exceeds cols=100"},
           {"powerlaw:rows=100,avg=9.5,max=9", "powerlaw: avg=9.5 exceeds max=9"},
           {"powerlaw:alpha=1", "powerlaw: alpha=1 must be greater than 1"},
           {"powerlaw:rows=1000,avg=8,alpha=1.0000000000000002",
            "powerlaw: with alpha=1.0000000000000002 and max=1000 all rows together have 7763 "
            "entries, not rows x avg = 8000"},
           {"spike:rows=10,cols=3,k=4", "spike: k=4 and length=3 must not exceed cols=3"},
           {"spike:rows=10,length=11", "spike: k=4 and length=11 must not exceed cols=10"},
           {"spike:rows=10,spikes=11", "spike: spikes=11 exceeds rows=10"},
           {"chessboard:m=3,n=4,k=3",
            "chessboard: k=3 needs 4 rooks, but a 3 x 4 board has room for 3"},
           {"circuit:rows=10,rails=11", "circuit: rails=11 exceeds rows=10"},
           {"circuit:avg=1.1", "circuit: avg=1.1 must be at least 1 + 2 x share (share=0.1)"},
           {"qcd:l=2", "qcd: l=2 is not an integer from 3 to 115"},
           {"mycielskian:k=1", "mycielskian: k=1 is not an integer from 2 to 30"},
           {"lp:rows=10,cols=5",
            "lp: rows=10 exceeds cols=5, but each row needs a slack column of its own"},
           {"lp:rows=10,cols=51,avg=42", "lp: avg=42 exceeds the 41 entries that a row can have"},
           {"rowlengths:dist=uniform,mean=600",
            "rowlengths: rows of up to 1200 entries (dist=uniform, mean=600) exceed cols=1000"},
           {"rowlengths:mean=1001",
            "rowlengths: rows of up to 1001 entries (dist=fixed, mean=1001) exceed cols=1000"},
           {"fem2d:order=hilbert", "fem2d: order=hilbert is not one of natural|random"},
           {"stencil5:nx=2,boundary=periodic",
            "boundary=periodic needs at least 3 points per side, but the grid has 2 x 100 x 1; "
            "boundary=open accepts any size"},
           {"stencil27:nz=1,boundary=periodic",
            "boundary=periodic needs at least 3 points per side, but the grid has 20 x 20 x 1; "
            "boundary=open accepts any size"},
           {"fem3d:removed=1", "fem3d: removed=1 leaves none of the 1728 nodes"},
           {"dg:dim=4", "dg: dim=4 is not an integer from 2 to 3"},
           {"dg:n=900,b=10",
            "dg: n=900 cells per side (dim=3, b=10) have more than 2147483647 rows"},
           {"communities:rows=10,size=11", "communities: size=11 exceeds rows=10"},
           {"communities:rows=10,hubs=11",
            "communities: hubs=11 and degree=1 must not exceed rows=10"},
           {"communities:rows=10,degree=11",
            "communities: hubs=8 and degree=11 must not exceed rows=10"},
           {"communities:rows=100,avg=3,hubs=2,degree=80",
            "communities: 2 x hubs x degree (hubs=2, degree=80) exceeds rows=100 x avg=3"},
           {"web:rows=1", "web: avg=16 exceeds max=1"},
           {"features:cols=44",
            "features: rows of up to 45 entries (k=30, spread=0.5) exceed cols=44"},
           {"widetable:cols=3",
            "widetable: lengths from least=4 to most=3 must ascend and not exceed cols=3"},
           {"widetable:cols=30,most=31",
            "widetable: lengths from least=4 to most=31 must ascend and not exceed cols=30"},
           {"hypersparse:half=0",
            "hypersparse: k=3 exceeds the 1 columns of a row's band (half=0, cols=1000)"},
           {"arrow:rows=2,full=3", "arrow: full=3 exceeds rows=2"},
           {"spin:n=9,up=10", "spin: up=10 exceeds the n=9 sites"},
           {"spin:n=31", "spin: n=31 sites have more than 2147483647 states; up=K takes only those "
                         "with K spins up"},
           {"spin:n=40,up=20", "spin: n=40 sites have more than 2147483647 states with up=20; up=K "
                               "takes only those with K spins up"},
           {"lattice:l=2", "lattice: l=2 is not an integer from 3 to 200"},
           {"queue:s=8,room=20",
            "queue: s=8 stations with room=20 have more than 2147483647 states"},
           {"molecule:atoms=200000000",
            "molecule: atoms=200000000 have more than 2147483647 functions"},
           {"knn:rows=9,k=9", "knn: k=9 exceeds the 8 other points (rows=9)"},
           {"prefer:rows=1000000,m=2000",
            "prefer: rows=1000000 x 2 x m=2000 is more than 2147483647 entries"},
           {"kron:scale=19,edge=1", "kron: scale=19 and edge=1 give more than 2147483647 entries"},
           {"genes:cols=50", "genes: avg=80 exceeds cols=50"},
           {"text:cols=50", "text: avg=90 exceeds cols=50"},
           {"twin:pwtk,as=printed", "twin: as=printed is not one of collection|paper"},
           {"twin:pwtk,rows=3", "twin: unknown key in rows=3; the keys are name, as, seed"},
           {"twin:", "twin: option 1 is \"\", but must have the form key=value"}}) {
    const std::string spec = given;
    CAPTURE(spec);
    const auto [status, sentence] = refusal(spec);
    CHECK(status == Status::badCall);
    CHECK(sentence == expected);
  }
}

TEST_CASE("more rows or entries than a 32-bit index holds are refused before memory is taken") {
  const std::vector<std::string> specs = {"stencil5:n=46341",
                                          "stencil7:n=1291",
                                          "stencil27:nx=2147483647,ny=2147483647,nz=2147483647",
                                          "stencil5:n=30000",
                                          "stencil27:n=500",
                                          "dense:n=46341",
                                          "dense:n=2147483647",
                                          "random:k=1000,rows=2147483647",
                                          "band:rows=2147483647",
                                          "blocks:rows=2147483646",
                                          "powerlaw:rows=2147483647",
                                          "spike:rows=200000,spikes=200000",
                                          "chessboard:m=20,n=20,k=10",
                                          "chessboard:m=1000,n=1000,k=999",
                                          "chessboard:m=300,n=300,k=1",
                                          "elasticity:n=895",
                                          "elasticity:n=210",
                                          "fem2d:rows=2147483647",
                                          "circuit:rows=2147483647",
                                          "fem3d:n=1000",
                                          "coupled:n=1000",
                                          "coupled:n=300,b=8",
                                          "dg:n=32767",
                                          "dg:n=400,dim=2,b=100",
                                          "communities:rows=2147483647",
                                          "web:rows=2147483647",
                                          "features:k=1000,rows=2147483647",
                                          "widetable:rows=2147483647,least=9000",
                                          "hypersparse:rows=2147483647,filled=0.9,k=1000",
                                          "arrow:rows=2147483647,half=100",
                                          "stencil5:n=30000,boundary=periodic",
                                          "epidemic:n=32768",
                                          "epidemic:n=65534",
                                          "qcd:l=47",
                                          "rmat:scale=27",
                                          "rmat:scale=30,edge=2",
                                          "mycielskian:k=20",
                                          "lp:rows=1000000,cols=2000000",
                                          "spin:n=30",
                                          "spin:n=34,up=12",
                                          "transfer:n=500",
                                          "transfer:n=2147483647",
                                          "transfer:nx=2000000000,ny=2,nz=1,of=restriction",
                                          "kkt:n=900",
                                          "kkt:n=640",
                                          "lattice:l=200",
                                          "lattice:l=30,b=20",
                                          "queue:s=8,room=9",
                                          "queue:room=2147483647",
                                          "factor:rows=2147483647",
                                          "molecule:atoms=2147483647",
                                          "molecule:atoms=20000000",
                                          "knn:rows=2147483647",
                                          "road:rows=2147483647",
                                          "prefer:rows=2147483647",
                                          "kron:scale=19",
                                          "genes:rows=2147483647",
                                          "text:rows=2147483647",
                                          "rowlengths:rows=2147483647"};
  for (const int64_t memory : {kLittleMemory, kMuchMemory})
    for (const std::string &spec : specs) {
      CAPTURE(spec);
      CAPTURE(memory);
      const PretendedMemory assumed(memory);
      const auto [status, sentence] = refusal(spec);
      CHECK(status == Status::badCall);
      CHECK(contains(sentence, "more than 2147483647"));
    }
}

TEST_CASE("a matrix beyond the machine's memory is reported as missing") {
  if (kSanitized)
    return;
  CHECK(statusInLittleMemory("dense:n=8000") == static_cast<int>(Status::missing));
  CHECK(statusInLittleMemory("stencil5:n=9000") == static_cast<int>(Status::missing));
  CHECK(statusInLittleMemory("powerlaw:rows=90000000") == static_cast<int>(Status::missing));
}

TEST_CASE("a twin of an unknown name is refused with the names that there are") {
  const auto [status, sentence] = refusal("twin:nosuch,as=paper");
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "twin: name=nosuch is not one of bbmat|"));
  CHECK(contains(sentence, "|ch7-8-b5|"));
  CHECK(contains(sentence, "|bayer09"));
}

TEST_CASE("what exceeds the machine's memory is refused with both sizes") {
  const auto [status, sentence] =
      describe(checkFits(1000, 2000, 100 << 20, (int64_t{12} * 100 << 20) + 7999));
  CHECK(status == Status::missing);
  CHECK(sentence == "a matrix of 1000 x 2000 with 104857600 entries needs 1200 MiB; this machine "
                    "has 1200 MiB available");
  CHECK(!checkFits(1000, 2000, 100 << 20, (int64_t{12} * 100 << 20) + 8000));
}

TEST_CASE("rows that exceed the machine's memory by themselves are refused with both sizes") {
  const PretendedMemory little(kLittleMemory);
  const auto [status, sentence] = refusal("band:rows=200000000,k=1");
  CHECK(status == Status::missing);
  CHECK(contains(sentence, "a matrix of 200000000 x 200000000 with about "));
  CHECK_FALSE(contains(sentence, "with 0 entries"));
  const auto rows = describe(checkRowsFit(200000000, 5, kLittleMemory));
  CHECK(rows.first == Status::missing);
  CHECK(rows.second ==
        "the rows of a matrix of 200000000 x 5 alone need 1525 MiB; this machine has "
        "1024 MiB available");
  CHECK(!checkRowsFit(200000000, 5, 1600000000));
}

// A former bug: each of these was counted to its end, some after making tables of gigabytes.
TEST_CASE("what is far beyond the limits is refused without counting, with its numbers") {
  struct Case {
    std::string spec, said;
  };
  for (const int64_t memory : {kLittleMemory, kMuchMemory})
    for (const Case &c :
         {Case{"hypersparse:n=2000000000,filled=0.9", "would have about 54"},
          Case{"random:rows=2000000000,k=20,cols=100", "would have about 40000000000 entries"},
          Case{"band:rows=2147483647,k=17", "would have about 36507221999 entries"}}) {
      const PretendedMemory assumed(memory);
      const std::clock_t start = std::clock(); // of the processor, which others may use meanwhile
      const auto [status, sentence] = refusal(c.spec);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      CAPTURE(c.spec);
      CHECK(status == Status::badCall);
      CHECK(contains(sentence, c.said));
      CHECK(contains(sentence, "more than 2147483647"));
      CHECK(seconds < 2); // counting takes ten times as long
    }
}
