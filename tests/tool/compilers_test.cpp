// Tests that what emit prints compiles as it is, by nvcc at its default standard and by clang, for
// all formats, types and codings of values. (NVRTC compiles the same text without options in
// tests/runtime/cuda/nvrtc_test.cpp.)
#include "generator/coding/coding.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <set>

using namespace tooltest;
using specmv::testing::contains;

namespace {

// Equal values, few values, and blocks that repeat: together they have every coding.
Strings matrices() {
  std::string ones = "%%MatrixMarket matrix coordinate pattern general\n64 64 320\n";
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 5; ++k)
      ones += std::to_string(i + 1) + " " + std::to_string((i + k * k) % 64 + 1) + "\n";
  const std::string file = scratch("ones.mtx");
  std::ofstream(file) << ones;
  return {"elasticity:n=4", "stencil7:n=6", file};
}

struct Emitted {
  std::string format, type, coding, file;
};

// Each format with each coding that applies to it, in both types.
std::vector<Emitted> allEmitted() {
  std::vector<Emitted> out;
  std::set<std::string> seen;
  for (const std::string &matrix : matrices())
    for (const std::string &format : formatsWithKernels())
      for (const char *type : {"f64", "f32"})
        for (const specmv::Coding *coding : specmv::codings()) {
          const std::string name = format + "-" + type + "-" + coding->name;
          if (seen.contains(name))
            continue;
          const Emitted one{format, type, coding->name, scratch(name + ".cu")};
          const Outcome outcome = tool({"emit", matrix, "--quiet", "--format", format, "--type",
                                        type, "--set", "values=" + one.coding, "-o", one.file});
          if (outcome.status != 0)
            continue;
          seen.insert(name);
          out.push_back(one);
        }
  return out;
}

const std::vector<Emitted> &emitted() {
  static const std::vector<Emitted> all = allEmitted();
  return all;
}

} // namespace

TEST_CASE("every format and every coding is among the kernels that are compiled") {
  std::set<std::string> formats, codings;
  for (const Emitted &one : emitted()) {
    formats.insert(one.format);
    codings.insert(one.coding);
  }
  CHECK(formats.size() == formatsWithKernels().size());
  CHECK(codings.size() == specmv::codings().size());
  CHECK(emitted().size() >= 140); // 145 when this was written
}

TEST_CASE("clang compiles what emit prints for every format, type and coding") {
  const std::string clang = "/usr/bin/clang++-14";
  const std::string cuda =
      (std::filesystem::path(__FILE__).parent_path().parent_path() / "lint_cuda.h").string();
  if (!std::filesystem::exists(clang)) {
    MESSAGE("skipped: there is no " << clang);
    return;
  }
  for (const Emitted &one : emitted()) {
    CAPTURE(one.file);
    const Outcome outcome =
        runProgram(clang, {"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_86",
                           "-nocudainc", "-nocudalib", "-std=c++17", "-Wno-unknown-cuda-version",
                           "-include", cuda, "-fsyntax-only", one.file});
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    CHECK_MESSAGE(outcome.err == "", outcome.err);
  }
}

// Each format once and each coding once; SPECMV_TOOL_LONG=1 compiles all.
TEST_CASE("nvcc compiles what emit prints at its default standard") {
  if (nvcc().empty()) {
    MESSAGE("skipped: there is no nvcc");
    return;
  }
  const bool isLong = !specmv::environment("SPECMV_TOOL_LONG").empty();
  std::set<std::string> formats, codings;
  for (const Emitted &one : emitted()) {
    const bool isNewFormat = formats.insert(one.format).second;
    const bool isNewCoding = codings.insert(one.coding).second;
    if (!isNewFormat && !isNewCoding && !isLong)
      continue;
    CAPTURE(one.file);
    const Outcome outcome =
        runProgram(nvcc(), {"-arch=sm_90", "-cubin", "-o", scratch("nvcc.cubin"), one.file});
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    CHECK_FALSE(contains(outcome.err + outcome.out, "warning"));
  }
}
