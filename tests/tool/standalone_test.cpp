// Tests emit's report on a source, and its standalone programs: nvcc compiles them, and their host
// code reads the arrays, passes them in the right places and detects a wrong product. Here the
// kernels of two formats whose threads do not communicate run on the host, one thread after
// another.
#include "generator/formats.h"
#include "models/base/own_environment.h"
#include "models/predict/kept_in_l2.h"
#include "runtime/cuda/l2_turns.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <limits>
#include <set>

using namespace tooltest;
using specmv::testing::contains;

namespace {

// The parts of CUDA that such a kernel and its program need, in plain C++.
const std::string kHostCuda = R"(#include <cstdlib>
#include <cstring>
#define __device__
#define __global__
#define __forceinline__ inline
template <class T> T __ldg(const T *p) { return *p; }
#define __launch_bounds__(...)
#define __shared__ static
struct dim3 { unsigned x, y, z; };
static dim3 threadIdx, blockIdx, blockDim, gridDim;
enum cudaError_t { cudaSuccess, cudaErrorNoDevice, cudaErrorInsufficientDriver };
enum { cudaMemcpyDefault, cudaFuncAttributeMaxDynamicSharedMemorySize, cudaDevAttrL2CacheSize };
using cudaEvent_t = int;
static const char *cudaGetErrorString(cudaError_t) { return ""; }
static cudaError_t cudaMalloc(void **p, size_t n) { *p = std::malloc(n); return cudaSuccess; }
static cudaError_t cudaMallocHost(void **p, size_t n) { return cudaMalloc(p, n); }
static cudaError_t cudaMemset(void *p, int v, size_t n) { std::memset(p, v, n); return cudaSuccess; }
static cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int) {
  if (n > 0) std::memcpy(to, from, n);
  return cudaSuccess;
}
static cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
static cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
static cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
static cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) { *ms = 1; return cudaSuccess; }
static cudaError_t cudaDeviceGetAttribute(int *v, int, int) { *v = 50 << 20; return cudaSuccess; }
static cudaError_t cudaGetLastError() { return cudaSuccess; }
static cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
template <class Kernel> static void onHost(dim3 grid, unsigned block, Kernel kernel) {
  gridDim = grid, blockDim = {block, 1, 1};
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x)
      kernel();
}
)";

void replace(std::string &text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
}

// Returns the program with plain C++ in the place of its loads in PTX.
std::string withoutPtx(std::string program) {
  for (size_t at = 0; (at = program.find(" asm", at)) != std::string::npos;) {
    const size_t begin = program.rfind("__device__ ", at), end = program.find(");", at) + 2;
    const std::string head = program.substr(begin, at - begin);
    std::string load;
    if (contains(head, "load"))
      load = std::string(contains(head, "bool wanted") ? "  if (wanted)\n  " : "") +
             (contains(head, " out") ? "  out = " : "  v = ") +
             (contains(head, "Streamed<") ? "*p.at;" : "*p;");
    program.replace(at, end - at, load);
  }
  return program;
}

// Returns the program with its one launch as a loop: "kernel<<<grid, block, 0>>>(arguments);".
std::string forHost(std::string program) {
  replace(program, "specmv::specmv_kernel<<<", "onHost(");
  replace(program, ", 0>>>(\n", ", [&] { specmv::specmv_kernel(\n");
  const size_t end = program.find(");\n", program.find("[&] { specmv::specmv_kernel("));
  REQUIRE(end != std::string::npos);
  return withoutPtx(program.insert(end + 2, " });"));
}

std::string withEnding(const std::string &name, const std::string &ending) {
  return scratch(name) + ending;
}

// Writes NAME.cu and NAME.bin in the scratch directory.
std::string standalone(const std::string &name, const Strings &options) {
  Strings call = {"emit", "--quiet", "--standalone", "-o", withEnding(name, ".cu")};
  call.insert(call.end(), options.begin(), options.end());
  const Outcome outcome = tool(call);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == "");
  return readFile(withEnding(name, ".cu"));
}

// Compiles a program for the host, with this in place of CUDA, and returns its path.
std::string compiled(const std::string &name, const std::string &text,
                     const std::string &cuda = kHostCuda) {
  std::string program = withEnding(name, ".run");
  writeFile(scratch("cuda_runtime.h"), cuda);
  writeFile(withEnding(name, ".cpp"), text);
  const Outcome built = runProgram("/usr/bin/g++", {"-std=c++20", "-w", "-I", scratch(""),
                                                    withEnding(name, ".cpp"), "-o", program});
  INFO(built.err);
  REQUIRE(built.status == 0);
  return program;
}

} // namespace

TEST_CASE("emit tells in comments what made the source, from what, and how it is launched") {
  const std::string text = tool({"emit", "stencil5:n=30", "--format", "sell"}).out;
  const std::string head = text.substr(0, text.size() - withoutHeader(text).size());
  for (const char *line : {"// matrix     stencil5:n=30: 900 x 900, 4380 entries, f64\n",
                           "// made by    specmv " SPECMV_TESTED_VERSION "\n",
                           "//            specmv emit stencil5:n=30 --format sell\n",
                           "// launch     specmv_kernel: grid 4 x 1 x 1, block 256, 0 bytes of "
                           "dynamic shared memory\n",
                           "// arrays     sliceStart: 114 of int, 456 bytes\n",
                           "// policy     0x17f0000000000000 keeps the arrays in L2, "
                           "0x1770000000000000 half of them, 0x12f0000000000000 none\n"})
    CHECK_MESSAGE(contains(head, line), head);
  CHECK(contains(head, "// signature  "));
  CHECK(contains(head, "// plan       sell "));
  const auto json = document(tool({"emit", "stencil5:n=30", "--format", "sell", "--json"}));
  CHECK(text.substr(head.size()) == ::text(json, "source"));
  CHECK(number(array(json, "launches").front(), "block") == 256);
  CHECK(tooltest::text(array(json, "arrays").front(), "name") == "sliceStart");
}

TEST_CASE("no name of a matrix or an argument ends the comment that it stands in") {
  const std::string odd = scratch("odd\n* \\");
  REQUIRE(tool({"generate", "stencil5:n=3", "-o", odd}).status == 0);
  const std::string text = tool({"emit", odd}).out;
  const std::string head = text.substr(0, text.size() - withoutHeader(text).size());
  CHECK(contains(head, "odd\\x0a* \\"));
  for (const std::string &line : linesOf(head)) {
    CHECK_MESSAGE((line.empty() || line.rfind("// ", 0) == 0), line);
    CHECK_MESSAGE((line.empty() || line.back() != '\\'), line);
  }
}

TEST_CASE("--standalone is refused where there is no such program") {
  const std::string m = "stencil5:n=4", cu = withEnding("refused", ".cu");
  checkRefusal(tool({"emit", m, "--standalone"}), 2);
  checkRefusal(tool({"emit", m, "--standalone", "-o", "-"}), 2);
  checkRefusal(tool({"emit", m, "--standalone", "-o", scratch("refused.txt")}), 2);
  for (const char *other : {"--ptx", "--json", "--cubin=x"})
    checkRefusal(tool({"emit", m, "--standalone", "-o", cu, other}), 2);
  const Outcome host = tool(withFormat({"emit", m, "--standalone", "-o", cu}, "hcghyb"));
  checkRefusal(host, 1);
  CHECK(contains(host.err, "hcghyb runs partly on the host"));
  const std::string input = withEnding("refused", ".bin");
  REQUIRE(tool({"generate", m, "-o", input}).status == 0);
  checkRefusal(tool({"emit", input, "--standalone", "-o", cu}), 2);
  CHECK_FALSE(std::filesystem::exists(cu));
}

TEST_CASE("a standalone program multiplies what its file holds, and sees a wrong product") {
  for (const char *format : {"ell", "dia"}) {
    CAPTURE(std::string(format));
    const std::string name = std::string("alone-") + format;
    const std::string program =
        compiled(name, forHost(standalone(name, {"stencil5:n=9,coef=random", "--format", format})));
    const Outcome right = runProgram(program, {withEnding(name, ".bin")});
    CHECK_MESSAGE(right.status == 0, right.err);
    CHECK(contains(right.out, "verified   to "));
    CHECK(contains(right.out, " GB/s of CSR's bytes\n"));

    std::string bytes = readFile(withEnding(name, ".bin"));
    bytes.back() ^= '\x80'; // the sign of CSR's last value
    writeFile(withEnding(name, ".bad"), bytes);
    const Outcome wrong = runProgram(program, {withEnding(name, ".bad")});
    CHECK(wrong.status == 1);
    CHECK(contains(wrong.err, "error: the product is wrong"));
    writeFile(withEnding(name, ".bad"), bytes.substr(0, bytes.size() - 9));
    CHECK(contains(runProgram(program, {withEnding(name, ".bad")}).err, "is too short"));
    writeFile(withEnding(name, ".bad"), "specmv " + bytes.substr(8));
    CHECK(runProgram(program, {withEnding(name, ".bad")}).status == 1);
    CHECK(contains(runProgram(program, {scratch("none")}).err, "cannot open the file of arrays"));
  }
}

// A former bug: the right product was "wrong".
TEST_CASE("a standalone program takes values that are not finite, overflow or underflow") {
  const std::string name = "odd-values";
  // x is negative in the columns 1, 2, 4, 6 and positive in 3, 5, 7.
  const std::string matrix =
      fileOf("odd-values.mtx", "%%MatrixMarket matrix coordinate real general\n6 7 17\n"
                               "1 1 nan\n1 2 1\n2 1 inf\n2 2 1\n3 1 inf\n3 3 inf\n"
                               "4 1 1.7e308\n4 3 -1.7e308\n4 5 -1.7e308\n4 7 1.7e308\n"
                               "5 1 4.9e-324\n5 3 4.9e-324\n5 4 4.9e-324\n5 5 1e-323\n"
                               "6 1 1\n6 3 1\n6 5 1\n");
  const std::string program =
      compiled(name, forHost(standalone(name, {matrix, "--format", "ell"})));
  const Outcome right = runProgram(program, {withEnding(name, ".bin")});
  CHECK_MESSAGE(right.status == 0, right.err);
  CHECK(contains(right.out, "verified   to "));

  const std::string bytes = readFile(withEnding(name, ".bin"));
  const auto isWrongWith = [&](size_t entryFromEnd, double value) {
    std::string changed = bytes;
    std::memcpy(&changed[bytes.size() - entryFromEnd * sizeof value], &value, sizeof value);
    writeFile(withEnding(name, ".bad"), changed);
    const Outcome wrong = runProgram(program, {withEnding(name, ".bad")});
    return wrong.status == 1 && contains(wrong.err, "error: the product is wrong");
  };
  CHECK(isWrongWith(1, 2));
  CHECK(isWrongWith(1, std::numeric_limits<double>::quiet_NaN()));
  CHECK(isWrongWith(1, std::numeric_limits<double>::infinity()));
  CHECK(isWrongWith(17, 1));                                        // y[0] is no NaN
  CHECK(isWrongWith(15, 1));                                        // y[1] is finite
  CHECK(isWrongWith(15, -std::numeric_limits<double>::infinity())); // y[1] has another sign
  CHECK(isWrongWith(13, 1));                                        // y[2] is no NaN
  CHECK(isWrongWith(4, 1e-321));                                    // y[4] is another
}

TEST_CASE("a standalone program keeps as much in L2 as the library does") {
  const std::string name = "policy";
  std::string text = forHost(standalone(name, {"stencil5:n=40", "--format", "ell"}));
  const std::string prefix = "constexpr double kArrayBytes = ";
  const size_t at = text.find(prefix);
  REQUIRE(at != std::string::npos);
  const int64_t arrayBytes = std::stoll(text.substr(at + prefix.size()));
  CHECK(arrayBytes >= 12 * 5 * 1600);
  replace(text, "policy = policyOfL2();",
          "policy = policyOfL2();\n  std::printf(\"policy %llx\\n\", policy);");
  std::string cuda = kHostCuda;
  replace(cuda, "*v = 50 << 20;", "*v = std::atoi(std::getenv(\"TEST_L2\"));");
  const std::string program = compiled(name, text, cuda);
  std::set<std::string> seen;
  for (const int l2Bytes : {0, 90000, 120000, 150000, 200000, 290000, 340000, 50 << 20}) {
    const Outcome ran = runProgram(
        "/usr/bin/env", {"TEST_L2=" + std::to_string(l2Bytes), program, withEnding(name, ".bin")});
    const std::string wanted = llvm::formatv(
        "policy {0:x-}\n",
        specmv::l2PolicyOf(specmv::sixteenthsKept(arrayBytes, 2 * 1600 * 8, l2Bytes)));
    CHECK_MESSAGE(contains(ran.out, wanted), ran.out << wanted);
    seen.insert(wanted);
  }
  CHECK(seen.size() >= 5);
}

TEST_CASE("a standalone program leaves L1 to x where the library's plan does") {
  const std::string csr5 = standalone("leaves", withFormat({"stencil5:n=40"}, "csr5"));
  CHECK(contains(csr5, "\n  leaveL1(specmv::specmv_kernel, 256, 0);\n"));
  CHECK_FALSE(contains(standalone("leaves-not", withFormat({"stencil5:n=40"}, "ell")), "leaveL1"));
  // The function itself, on a GPU that has 228 KB in an SM, of which each block reserves 1 KB.
  const size_t begin = csr5.find("template <class Kernel> static void leaveL1");
  REQUIRE(begin != std::string::npos);
  const std::string program = compiled("leave-l1", R"(#include <cstdio>
#include <cstdlib>
enum { cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrReservedSharedMemoryPerBlock };
enum { cudaFuncAttributePreferredSharedMemoryCarveout };
struct cudaFuncAttributes { unsigned long sharedSizeBytes; };
static int blocks, staticBytes;
void check(int) {}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *v, void (*)(), int, int) { return *v = blocks; }
int cudaFuncGetAttributes(cudaFuncAttributes *v, void (*)()) { return v->sharedSizeBytes = staticBytes; }
int cudaDeviceGetAttribute(int *v, int what, int) { return *v = what ? 1 << 10 : 228 << 10; }
int cudaFuncSetAttribute(void (*)(), int, int percent) { return std::printf("%d", percent); }
)" + csr5.substr(begin, csr5.find("\n}\n", begin) + 3 - begin) +
                                                       R"(
void kernel() {}
int main(int, char **of) { blocks = std::atoi(of[1]), staticBytes = std::atoi(of[2]), leaveL1(kernel, 256, std::atoi(of[3])); }
)");
  CHECK(runProgram(program, {"8", "2048", "0"}).out == "11");   // 24 KB of 228
  CHECK(runProgram(program, {"1", "0", "164864"}).out == "72"); // 162 KB
  CHECK(runProgram(program, {"4", "102400", "0"}).out == "100");
}

// SPECMV_TOOL_LONG=1 tests all formats, in both types.
TEST_CASE("nvcc compiles standalone programs") {
  if (nvcc().empty()) {
    MESSAGE("skipped: there is no nvcc");
    return;
  }
  const bool isLong = !specmv::environment("SPECMV_TOOL_LONG").empty();
  for (const specmv::Format &format : specmv::formats()) {
    const std::string name = format.name;
    const bool isAsked = isLong || name == "csr-vector" || name == "csr5" || name == "hyb";
    if (!isAsked || format.library || name == "hcghyb")
      continue;
    for (const char *type : {"f64", "f32"}) {
      if (!isLong && std::string(type) == "f32")
        continue;
      CAPTURE(name);
      standalone("nvcc", withFormat({"elasticity:n=5", "--type", type}, name));
      const Outcome built = runProgram(
          nvcc(), {"-arch=sm_90", withEnding("nvcc", ".cu"), "-o", withEnding("nvcc", ".run")});
      CHECK_MESSAGE(built.status == 0, built.err);
      CHECK_MESSAGE(!contains(built.err + built.out, "warning"), built.err);
    }
  }
}
