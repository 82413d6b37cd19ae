// Tests of compilation: source that does not compile is refused with the compiler's own words, and
// so is source that would spill, if that is requested.
#include "runtime/cuda/nvrtc.h"

#include "generator/coding/coding.h"
#include "generator/source/specialized.h"
#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "runtime/cuda/nvrtc_library.h"
#include "tests/generator/formats/one_format.h"
#include "tests/runtime/cuda/nvrtc_testing.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::string edit(std::string text, const std::string &what, const std::string &with) {
  const size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

// Compiles a source with `what` replaced by `with` and returns the refusal.
std::pair<Status, std::string> refusalOfEdited(const std::string &text, const std::string &what,
                                               const std::string &with, const std::string &name) {
  auto compiled = compile(KernelSource(edit(text, what, with)), name, "sm_90");
  REQUIRE_FALSE(static_cast<bool>(compiled));
  return describe(compiled.takeError());
}

std::string ellSource() {
  const Offer offer = offerOf(evenMatrix(64, 5), "ell");
  return offer.format->source(offer.plans.at(0), kDouble).text;
}

// Returns the number of the line of `text` that contains `part`.
size_t lineOf(const std::string &text, const std::string &part) {
  const size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

} // namespace

TEST_CASE("strict compilation refuses local memory, usual compilation does not") {
  if (architectures().empty())
    return;
  const char *const localArray = R"(extern "C" __global__ void k(int *p, int n) {
  int local[256];
  for (int i = 0; i < 256; ++i) local[i] = p[i * n];
  p[0] = local[n & 255] + local[p[1] & 255];
}
)";
  const char *const spills =
      R"(extern "C" __global__ void __launch_bounds__(1024) k(float *p, int n) {
  float v[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) v[i] = p[i * n];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 200; ++i) p[i + n] = v[i] * v[199 - i];
}
)";
  for (const char *text : {localArray, spills}) {
    CHECK(static_cast<bool>(compile(KernelSource(text), "k", "sm_90")));
    auto strict = compile(KernelSource(text), "k", "sm_90", Strictness::noSpills);
    REQUIRE_FALSE(static_cast<bool>(strict));
    const auto [status, sentence] = describe(strict.takeError());
    CHECK(status == Status::internal);
    CHECK(contains(sentence, "local memory") == (text == spills));
    CHECK(contains(sentence, "Local memory used"));
  }
}

// The result of NVRTC for the text, with no options but the architecture.
static nvrtcResult resultOfPlainCompilation(const std::string &text, std::string &log) {
  const Nvrtc &n = *llvm::cantFail(Nvrtc::compilingFor("sm_90"));
  llvm::cantFail(n.makeReady());
  nvrtcProgram program = nullptr;
  REQUIRE(n.nvrtcCreateProgram(&program, text.c_str(), "k.cu", 0, nullptr, nullptr) ==
          NVRTC_SUCCESS);
  const char *const option = "--gpu-architecture=sm_90";
  const nvrtcResult result = n.nvrtcCompileProgram(program, 1, &option);
  size_t size = 0;
  n.nvrtcGetProgramLogSize(program, &size);
  log.resize(size);
  n.nvrtcGetProgramLog(program, log.data());
  n.nvrtcDestroyProgram(&program);
  return result;
}

TEST_CASE("emitted texts of all formats, types and codings compile without options, in C++17") {
  if (architectures().empty())
    return;
  std::set<std::string> done, formatsDone;
  for (const CsrMatrix &a : {evenMatrix(64, 5), llvm::cantFail(generateFamily("stencil5:n=20"))})
    for (const ValueType type : kTypes)
      for (auto &[format, plan] : plansOf(a.view(), {type}))
        for (const Coding *coding : codings()) {
          plan.values = coding->name;
          if (format->library || !whyNotCoding(*coding, plan, type).empty() ||
              !done.insert(nameOf(type) + plan.format + plan.values).second)
            continue;
          formatsDone.insert(plan.format);
          const std::string planText = plan.text();
          CAPTURE(planText);
          std::string log;
          const std::string text = specializedText(format->source(plan, {type}).text, "sm_90");
          CHECK_MESSAGE(resultOfPlainCompilation(text, log) == NVRTC_SUCCESS, log);
        }
  CHECK(formatsDone.size() > 10);
  CHECK(done.size() >= 140); // 150 when this was written
}

TEST_CASE("a missing number is an error with the compiler's log, the file and the line") {
  if (architectures().empty())
    return;
  const std::string text = ellSource(), edited = edit(text, ".width", ".widht");
  const auto [status, sentence] = refusalOfEdited(text, ".width", ".widht", "planted");
  CHECK(status == Status::internal);
  CHECK(contains(sentence, "\"width\""));
  const size_t line = lineOf(specializedText(edited, "sm_90"), "EllPlan::width");
  CHECK(contains(sentence, "planted.cu(" + std::to_string(line) + ")"));
}

TEST_CASE("a number that the template refuses is an error with its assertion") {
  if (architectures().empty())
    return;
  const auto [status, sentence] =
      refusalOfEdited(ellSource(), ".blockThreads = 256", ".blockThreads = 255", "planted");
  CHECK(status == Status::internal);
  CHECK(contains(sentence, "static assertion"));
  CHECK(contains(sentence, "EllPlan::blockThreads % 32 == 0"));
}

TEST_CASE("a header that is no template is not found, whatever lies on the disk") {
  if (architectures().empty())
    return;
  const auto [status, sentence] =
      refusalOfEdited(ellSource(), "#include \"ell.cuh\"", "#include \"stdint.h\"", "planted");
  CHECK(status == Status::internal);
  CHECK(contains(sentence, "stdint.h"));
}

TEST_CASE("an architecture that NVRTC does not know is a bad call that names those it knows") {
  const auto known = architectures();
  if (known.empty())
    return;
  for (const char *arch : {"sm_1", "sm_9000", "", "sm_", "90", "compute_90", "sm_90 ", "SM_90"}) {
    auto compiled = compile(KernelSource(ellSource()), "k", arch);
    REQUIRE_FALSE(static_cast<bool>(compiled));
    const auto [status, sentence] = describe(compiled.takeError());
    CHECK(status == Status::badCall);
    CHECK(contains(sentence, "'" + std::string(arch) + "'"));
    for (const std::string &one : known)
      CHECK(contains(sentence, one));
  }
  CHECK(std::is_sorted(known.begin(), known.end(), [](auto &l, auto &r) {
    return std::stoi(l.substr(3)) < std::stoi(r.substr(3));
  }));
  CHECK(std::find(known.begin(), known.end(), "sm_90") != known.end());
}

TEST_CASE("compiling opens NVRTC, and the options have no path") {
  if (architectures().empty())
    return;
  CHECK(nvrtcIsLoaded());
  for (const std::string &option : compileOptions("sm_90"))
    CHECK_FALSE(contains(option, "/"));
  CHECK(compileOptions("sm_90") != compileOptions("sm_80"));
}
