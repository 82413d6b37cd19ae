// Tests the tool's output that appears only on a terminal: colours, and a line of progress; and
// numbers formatted for people.
#include "runtime/cli/report.h"
#include "runtime/cli/why.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tooltest;
using specmv::cli::planText;
using specmv::testing::contains;

namespace {

const Strings kRun = {"run", "stencil5:n=4", "--target", "host"};

Setting terminalWith(const Strings &more) {
  Setting setting{.environment = {"TERM=xterm", "NO_COLOR"}, .out = ""};
  setting.environment.insert(setting.environment.end(), more.begin(), more.end());
  return setting;
}

// A matrix file that becomes readable when finish() is called.
struct SlowFile {
  std::string path = scratch("slow.mtx");
  int writer = -1; // while it is open, whoever reads waits

  SlowFile() {
    unlink(path.c_str());
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    writer = open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(writer >= 0);
  }
  SlowFile(const SlowFile &) = delete;
  SlowFile &operator=(const SlowFile &) = delete;
  ~SlowFile() { unlink(path.c_str()); }

  void finish() const {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
    CHECK(write(writer, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(writer);
  }
};

} // namespace

TEST_CASE("messages and labels are coloured on a terminal only") {
  const Outcome shown = toolOnTerminal(kRun, terminalWith({}));
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "\x1b[1;36mnote:\x1b[0m multiplied on the host"));
  CHECK(contains(shown.out, "\x1b[1mverified\x1b[0m   exact"));
  CHECK(contains(toolOnTerminal({"rnu"}, terminalWith({})).out, "\x1b[1;31merror:\x1b[0m unknown"));
  const std::string bad =
      fileOf("shown.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n");
  CHECK(contains(toolOnTerminal({"run", bad}, terminalWith({})).out,
                 "shown.mtx:3:1: \x1b[1;31merror:\x1b[0m "));
  const std::string wide =
      fileOf("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n");
  CHECK(contains(toolOnTerminal({"run", wide, "--type", "f32"}, terminalWith({})).out,
                 "\x1b[1;33mwarning:\x1b[0m "));
  for (const char *off : {"NO_COLOR=1", "TERM=dumb"}) {
    const Outcome plain = toolOnTerminal(kRun, terminalWith({off}));
    CHECK(plain.status == 0);
    CHECK_FALSE(contains(plain.out, "\x1b"));
    CHECK(contains(plain.out, "\nverified   exact"));
  }
  const Outcome piped = tool(kRun, terminalWith({}));
  CHECK_FALSE(contains(piped.out + piped.err, "\x1b"));
  CHECK_FALSE(contains(
      toolOnTerminal({"analyze", "stencil5:n=4", "--json", "--quiet"}, terminalWith({})).out,
      "\x1b"));
}

TEST_CASE("what takes long is told in a line that is erased") {
  SlowFile file;
  const std::string &pipe = file.path;
  const Outcome shown = toolOnTerminal({"analyze", pipe}, terminalWith({}), "reading " + pipe,
                                       [&] { file.finish(); });
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "reading " + pipe + ": 0 bytes"));
  const size_t last = shown.out.rfind("reading ");
  CHECK(shown.out.find("\r\x1b[K", last) < shown.out.find("\x1b[1mmatrix", last));
}

TEST_CASE("--quiet shows no progress") {
  SlowFile file;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2400));
    file.finish();
  });
  const Outcome shown = toolOnTerminal({"analyze", "--quiet", file.path}, terminalWith({}));
  late.join();
  CHECK(shown.status == 0);
  CHECK_FALSE(contains(shown.out, "reading "));
  CHECK(contains(shown.out, "signature"));
}

TEST_CASE("long lists of a plan are shortened for people") {
  CHECK(planText("dia block=256 dia.offsets=[-1000,-1,0,1,1000]") ==
        "dia block=256 dia.offsets=[-1000,-1,0,1,1000]");
  CHECK(planText("dia dia.offsets=[1,2,3,4,5,6,7,8] a=1") ==
        "dia dia.offsets=[1,2,3,4,5,6,7,8] a=1");
  CHECK(planText("dia dia.offsets=[1,2,3,4,5,6,7,8,9] a=1") ==
        "dia dia.offsets=[1,2,3,... 5 more ...,9] a=1");
  CHECK(planText("ell ell.width=5") == "ell ell.width=5");
  const Strings band = {"run", "band:k=21,half=10,rows=1000", "--format", "dia", "--target",
                        "host"};
  CHECK(contains(tool(band).out, "dia.offsets=[-10,-9,-8,... 17 more ...,10]"));
}

TEST_CASE("the figure of the host says whose it is") {
  const std::string out = tool(kRun).out;
  const size_t product = out.find("\nproduct    ");
  REQUIRE(product != std::string::npos);
  CHECK(contains(out.substr(product), ": by the host's CSR, not by the GPU's kernel\n"));
}
