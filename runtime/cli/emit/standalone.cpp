// Writes the part of a standalone program that depends on the plan: sizes, arrays and launches. The
// rest is the same for all (program.h).
#include "runtime/cli/emit/standalone.h"

#include "generator/embedded.h"
#include "generator/source/specialized.h"
#include "models/base/digest.h"
#include "models/predict/kept_in_l2.h"
#include "runtime/cli/emit/program.h"
#include "runtime/cuda/l2_turns.h"
#include "runtime/lab/yardstick/yardstick.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace specmv::cli {

std::string dataFileOf(const std::string &program) {
  return llvm::StringRef(program).drop_back(3).str() + ".bin";
}

// Returns the start of the data file, so that the program rejects any other file.
static std::string markOf(const Emitted &e) {
  const Digest digest = digestOfBytes(e.source.text + e.signature + e.plan.text());
  return "specmv " + llvm::toHex(digest, /*LowerCase=*/true) + "\n";
}

// Returns the plan's arrays in the order of the program's list.
static std::vector<std::pair<const LayoutArray *, bool>> arraysOf(const Layout &layout) {
  std::vector<std::pair<const LayoutArray *, bool>> out; // with true if the file has the array
  for (const LayoutArray &array : layout.arrays)
    out.emplace_back(&array, true);
  for (const LayoutArray &array : layout.scratch)
    out.emplace_back(&array, false);
  return out;
}

// A number that is not an integer is in the layout by its bits.
static std::string numberText(ElementType type, int64_t number) {
  if (type == ElementType::f32)
    return llvm::formatv("__builtin_bit_cast(float, {0}U)", static_cast<uint32_t>(number));
  if (type == ElementType::f64)
    return llvm::formatv("__builtin_bit_cast(double, {0}LL)", number);
  return llvm::formatv(
      "{0}({1})", type == ElementType::i64 ? "static_cast<long long>" : "static_cast<int>", number);
}

static std::string argumentText(const Argument &argument, const Emitted &e) {
  const auto arrays = arraysOf(e.layout);
  switch (argument.binding) {
  case Binding::array:
  case Binding::scratch: {
    const auto found = llvm::find_if(
        arrays, [&](const auto &a) { return a.first->name == argument.layoutName(); });
    return llvm::formatv("static_cast<{0} *>(arrays[{1}])", deviceNameOf(argument.type),
                         found - arrays.begin());
  }
  case Binding::integer:
    return numberText(argument.type, e.layout.integer(argument.layoutName()));
  case Binding::l2Policy:
    return "policy";
  case Binding::x:
    return "x";
  case Binding::y:
  case Binding::added: // z is y
    return "y";
  case Binding::alpha:
    return "Value(1)";
  default: // beta; programs have only one vector
    return "Value(0)";
  }
}

static std::string launchText(const Launch &launch, const Emitted &e) {
  std::vector<std::string> arguments;
  for (const Argument &argument : launch.arguments)
    arguments.push_back(argumentText(argument, e));
  return llvm::formatv("  specmv::{0}<<<dim3({1}, {2}, {3}), {4}, {5}>>>(\n      {6});\n",
                       launch.kernel, launch.grid[0], launch.grid[1], launch.grid[2],
                       launch.blockThreads, launch.sharedBytes, llvm::join(arguments, ",\n      "));
}

// The policy for the arrays of the program, on the GPU that runs it.
static std::string policyText(const Emitted &e) {
  const int64_t vectorBytes =
      e.layout.vectorElements * static_cast<int64_t>(sizeOf(vectorTypeOf(e.problem)));
  return llvm::formatv(
      R"(// What L2 does with the arrays: it keeps as many sixteenths of their lines as have room in this share
// of it, beside the vectors of a solver.
constexpr unsigned long long kEvictedFirst = {0:x}, kSixteenthKept = {1:x};
constexpr double kArrayBytes = {2}, kBytesOfVectors = {3:F0}, kShareToFill = {4:F4};
static unsigned long long policyOfL2() {{
  int l2Bytes = 0;
  check(cudaDeviceGetAttribute(&l2Bytes, cudaDevAttrL2CacheSize, 0));
  const double share = (kShareToFill * l2Bytes - kBytesOfVectors) / kArrayBytes;
  const int sixteenths = share <= 0 ? 0 : share >= 1 ? {5} : static_cast<int>({5} * share);
  return sixteenths == 0 ? kEvictedFirst : kSixteenthKept + ((sixteenths - 1ull) << {6});
}

)",
      kEvictedFirst, kSixteenthKept, std::max<int64_t>(1, e.layout.storedBytes()),
      kVectorsOfSolver * static_cast<double>(vectorBytes), kShareToFill, kSixteenths,
      kSixteenthsBit);
}

// A kernel must request dynamic shared memory above this limit.
constexpr uint32_t kUsualShared = 48 << 10;

static std::string launchesText(const Emitted &e) {
  std::string prepare, multiply;
  bool leavesL1 = false;
  for (const Step &step : e.steps) {
    const auto &launch = std::get<Launch>(step.action);
    if (launch.sharedBytes > kUsualShared)
      prepare += llvm::formatv("  check(cudaFuncSetAttribute(specmv::{0}, "
                               "cudaFuncAttributeMaxDynamicSharedMemorySize, {1}));\n",
                               launch.kernel, launch.sharedBytes);
    if (launch.leavesL1)
      prepare += llvm::formatv("  leaveL1(specmv::{0}, {1}, {2});\n", launch.kernel,
                               launch.blockThreads, launch.sharedBytes);
    leavesL1 |= launch.leavesL1;
    multiply += launchText(launch, e);
  }
  return policyText(e) + (leavesL1 ? kProgramLeaveL1 : "") + "static void prepare() {\n" + prepare +
         "}\n\n// y = A x\nstatic void multiply([[maybe_unused]] void *const *arrays,\n"
         "                     [[maybe_unused]] const Value *x, [[maybe_unused]] Value *y) {\n" +
         "  [[maybe_unused]] static const unsigned long long policy = policyOfL2();\n" + multiply +
         "}\n";
}

static std::string constantsText(const Emitted &e, const std::string &dataFile) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const CsrMatrix &m = e.a.matrix;
  out << "using Value = " << deviceNameOf(elementOf(e.problem.type)) << ";\n"
      << llvm::formatv("constexpr long long kRows = {0}, kCols = {1}, kEntries = {2};\n", m.rows,
                       m.cols, m.nnz())
      << llvm::formatv("constexpr long long kCsrBytes = {0};\n", csrBytes(e.a.view))
      << "constexpr char kFile[] = \"";
  out.write_escaped(llvm::sys::path::filename(dataFile), /*UseHexEscapes=*/false);
  out << "\";\nconstexpr char kMark[] = \"";
  out.write_escaped(markOf(e));
  out << "\";\nconstexpr bool kOnHost = " << (e.layout.zeroCopy ? "true" : "false")
      << "; // where kernels read the arrays\n"
      << "// Of the packed matrix: bytes, and whether the file has them; others are zero at "
         "first.\n"
      << "constexpr Packed kArrays[] = {\n";
  for (const auto &[array, isInFile] : arraysOf(e.layout))
    out << llvm::formatv("    {{{0}, {1}}, // {2}\n", array->size(), isInFile ? "true" : "false",
                         array->name);
  out << "    {0, false}};\n";
  return text;
}

constexpr EmbeddedFile kProductError[] = {
#include "runtime/product_error.inc"
};

// Without the headers that it includes, which are at the program's head.
static std::string productErrorText() {
  const llvm::StringRef text = kProductError->text;
  return text.substr(text.find("namespace specmv")).str();
}

llvm::Expected<std::string> standaloneProgram(const Emitted &e, const std::string &dataFile) {
  for (const Step &step : e.steps)
    if (!std::holds_alternative<Launch>(step.action))
      return fail(Status::notApplicable,
                  "{0} runs partly on the host, which a standalone program does not support; "
                  "choose another format with --format",
                  e.plan.format);
  return kProgramHead + specializedText(e.source.text, e.arch) + kProgramTypes +
         constantsText(e, dataFile) + "\n" + kProgramChecks + "\n" + launchesText(e) + "\n" +
         productErrorText() + kProgramMain;
}

template <class T> static void writeAs(llvm::raw_ostream &out, llvm::ArrayRef<int32_t> list) {
  for (const int32_t each : list) {
    const T value = each;
    out.write(reinterpret_cast<const char *>(&value), sizeof value);
  }
}

void writeStandaloneData(const Emitted &e, llvm::raw_ostream &out) {
  out << markOf(e);
  for (const LayoutArray &array : e.layout.arrays)
    out.write(reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size());
  writeAs<int64_t>(out, e.a.matrix.rowPtr);
  writeAs<int32_t>(out, e.a.matrix.col);
  out.write(static_cast<const char *>(e.a.view.val),
            static_cast<size_t>(e.a.view.nnz) * sizeOf(e.a.view.valueType));
}

} // namespace specmv::cli
