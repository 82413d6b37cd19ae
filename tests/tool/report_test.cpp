// Tests report: the page is whole and well-formed, shows the numbers of analyze --json, refers to
// nothing outside, and is written whole or not at all.
#include "models/base/text.h"
#include "runtime/cli/report/html.h"
#include "tests/text.h"
#include "tests/tool/page_testing.h"

using namespace tooltest;
using llvm::json::Value;
using specmv::shortTime;
using specmv::cli::escaped;
using specmv::cli::groupedCount;
using specmv::testing::contains;

namespace {

constexpr const char *kSections[] = {"why",      "spy",   "rows",  "structure", "candidates",
                                     "roofline", "bytes", "setup", "papers",    "source"};

// Returns the page about a matrix, which must be written without an error.
std::string pageOf(const Strings &arguments, const Setting &setting = {}) {
  const std::string file = scratch("page.html");
  std::filesystem::remove(file);
  Strings call{"report", "--quiet", "-o", file};
  call.insert(call.end(), arguments.begin(), arguments.end());
  const Outcome outcome = tool(call, setting);
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.out == "");
  return readFile(file);
}

std::string withoutMarks(std::string page) {
  for (const std::string mark : {"<mark>", "</mark>"})
    for (size_t at = 0; (at = page.find(mark, at)) != std::string::npos;)
      page.erase(at, mark.size());
  return page;
}

std::string matrixFile(const std::string &name, const std::string &sizesAndEntries) {
  return fileOf(name, "%%MatrixMarket matrix coordinate real general\n" + sizesAndEntries);
}

} // namespace

TEST_CASE("a page shows the numbers of analyze --json") {
  for (const Strings &call : {Strings{"stencil5:n=40"}, Strings{"powerlaw:rows=3000,avg=8"},
                              Strings{"random:n=500,k=9", "--type", "f32", "--gpu", "h100"},
                              Strings{"band:n=900,k=5", "--format", "ell,hyb,csr-vector"},
                              Strings{"band:n=900,k=5", "--products", "100"},
                              Strings{"stencil5:n=40", "--set", "values=any"},
                              Strings{"random:n=900,k=5", "--set", "order=bfs"}}) {
    CAPTURE(call[0]);
    const std::string page = pageOf(call);
    checkWholePage(page, kSections);
    const Value json = analyzed(call);
    CHECK(contains(page, escaped(text(json, "why.sentence"))));
    CHECK(contains(page, text(json, "signature")));
    CHECK(contains(page, "Roofline of " + text(json, "gpu")));
    for (const char *path : {"hybK.pmf", "hybK.rowShare", "profile.max", "profile.bandwidth",
                             "profile.diagonals", "matrix.nnz"})
      CHECK_MESSAGE(contains(page, groupedCount(static_cast<int64_t>(number(json, path)))),
                    std::string(path));
    for (const char *format : {"coo", "csr", "ell", "hyb"})
      for (const char *variant : {"asPrinted", "corrected"}) {
        const std::string path = "pmf." + std::string(variant) + "." + format + ".ct";
        CHECK_MESSAGE(contains(page, shortTime(number(json, path))), path);
      }
    for (const Value &candidate : array(json, "candidates"))
      if (flag(candidate, "applies"))
        CHECK(contains(page, "<code>" + text(candidate, "format")));
    const std::string chosen =
        shortTime(number(array(json, "candidates")[0], "predictedUs.traffic"));
    CHECK(contains(page, "<b>" + text(json, "chosen.format") + "</b>"));
    CHECK(contains(page, "<b>" + chosen + "</b>"));
    if (const Value *pays = find(json, "why.paysAfter"); pays && pays->getAsInteger())
      CHECK(contains(page, "<b>" + groupedCount(*pays->getAsInteger()) + "</b>"));
  }
}

TEST_CASE("the source is that of emit, with its constants marked") {
  const std::string page = pageOf({"stencil5:n=40"});
  CHECK(contains(page, "all[] = {<mark>-40</mark>, <mark>-1</mark>, <mark>0</mark>, "
                       "<mark>1</mark>, <mark>40</mark>}"));
  CHECK(contains(page, "__launch_bounds__(<mark>256</mark>)"));
  CHECK(contains(withoutMarks(page), escaped(withoutHeader(emitted("stencil5:n=40").out))));
}

TEST_CASE("a page takes matrices of any shape") {
  const std::string one = "1 1 1\n1 1 -0.0\n";
  const Strings matrices = {matrixFile("none.mtx", "0 0 0\n"),
                            matrixFile("norows.mtx", "0 5 0\n"),
                            matrixFile("nocols.mtx", "5 0 0\n"),
                            matrixFile("one.mtx", one),
                            matrixFile("nan.mtx", "2 2 3\n1 1 nan\n1 2 inf\n2 2 -inf\n"),
                            "empty:n=1000",
                            "dense:rows=1,cols=9999",
                            "dense:rows=9999,cols=1",
                            "spike:rows=3000",
                            "hypersparse:rows=50000",
                            "lp:rows=100"};
  for (const std::string &matrix : matrices)
    for (const char *type : {"f32", "f64"}) {
      CAPTURE(matrix);
      checkWholePage(pageOf({matrix, "--type", type}), kSections);
    }
}

TEST_CASE("the text of names is escaped") {
  const std::string bad = "<script>alert('1')&\"\x1b[31m\xff.mtx";
  const std::string page = pageOf({matrixFile(bad, "3 3 2\n1 1 1\n3 2 5\n")});
  checkWholePage(page, kSections);
  CHECK(contains(page, "<h1>&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;\\x1b[31m\\xff</h1>"));
  CHECK(page.find('\x1b') == std::string::npos);
}

TEST_CASE("one input gives one page, on standard output too") {
  for (const char *matrix : {"powerlaw:rows=3000,avg=8", "stencil7:n=30"}) {
    const std::string page = pageOf({matrix});
    CHECK(pageOf({matrix}) == page);
    const Outcome shown = tool({"report", "--quiet", matrix});
    CHECK(shown.status == 0);
    CHECK(shown.out == page);
  }
}

TEST_CASE("without a GPU a page says that nothing was measured") {
  const Outcome outcome =
      tool({"report", "diagonal:n=9", "--target", "host", "-o", scratch("h.html")});
  CHECK(outcome.status == 0);
  CHECK(messages(outcome, "note") == 1);
  CHECK(contains(readFile(scratch("h.html")), "Nothing was measured: all times are predicted"));
}

TEST_CASE("on a GPU a page has measured times") {
  // The fake's kernels do nothing, so that only calls of cuSPARSE are right.
  const std::string page =
      pageOf({"stencil5:n=20", "--format", "cusparse-csr,cusparse-op"}, onFakeGpu());
  checkWholePage(page, kSections);
  CHECK(contains(page, "Products were measured on this machine&#39;s GPU"));
  CHECK(contains(page, "Measured on this GPU"));
  // The fake has no counters.
  CHECK(contains(page, "<section id=\"counters\">\n<h2>What the GPU counted</h2>\n<p>The counters "
                       "of the GPU were not read: "));
  CHECK(contains(page, "a product, measured"));
  CHECK(contains(page, "stage, measured"));
  CHECK(contains(page, "is a call of cuSPARSE, so there is no source"));
}

TEST_CASE("a page has what bench measures only if that is asked for") {
  const Strings call{"stencil5:n=20", "--format", "cusparse-csr,cusparse-op"};
  const std::string brief = pageOf(call, onFakeGpu());
  Strings thorough = call;
  thorough.insert(thorough.end(), {"--rigor", "measure"});
  const std::string whole = pageOf(thorough, onFakeGpu());
  checkWholePage(whole, kSections);
  for (const char *head : {"with a cold L2", "prepared in"}) {
    CHECK_FALSE(contains(brief, head));
    CHECK(contains(whole, head));
  }
  for (const std::string &page : {brief, whole})
    for (const std::string head : {">measured<", "cusparse-csr1"})
      CHECK_MESSAGE(contains(page, head), head);
}

TEST_CASE("a bad call, a bad input or a wrong product leaves no page") {
  const std::string never = scratch("never.html");
  const auto refused = [&](Strings arguments, int status, const Setting &setting = {}) {
    arguments.insert(arguments.begin(), {"report", "--quiet", "-o", never});
    CAPTURE(arguments.back());
    checkRefusal(tool(arguments, setting), status);
    CHECK_FALSE(std::filesystem::exists(never));
  };
  refused({}, 2);
  refused({"diagonal:n=4", "diagonal:n=5"}, 2);
  refused({"diagonal:n=4", "--type", "f32,f64"}, 2);
  refused({"diagonal:n=4", "--why"}, 2);
  refused({"diagonal:n=4", "--gpu", "nonsense"}, 2);
  refused({scratch("absent.mtx")}, 1);
  refused({matrixFile("short.mtx", "3 3 2\n1 1 1\n")}, 1);
  refused({"spike:rows=100000", "--format", "dia"}, 1);
  refused({"stencil5:n=20", "--format", "ell"}, 1, onFakeGpu());
  refused({"stencil5:n=20", "--format", "ell", "--rigor", "measure"}, 1, onFakeGpu());
  checkRefusal(tool({"report", "diagonal:n=4", "-o", scratch("no folder") + "/a.html"}), 1);
}
