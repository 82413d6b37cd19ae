// Emits a kernel's instantiation, and holds what formats share in describing plans and kernels.
#include "generator/emit.h"

#include "models/base/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

static void emitConstant(llvm::raw_ostream &out, const PlanConstant &constant) {
  out << "constexpr " << constant.type << " " << constant.name << "{";
  const char *separator = "";
  for (const auto &[name, value] : constant.fields) {
    out << separator << "." << name << " = " << value;
    separator = ", ";
  }
  for (const auto &[name, list] : constant.lists) {
    out << separator << "." << name << " = {";
    llvm::interleaveComma(list, out);
    out << "}";
    separator = ", ";
  }
  out << "};\n";
}

static bool isPointer(const Argument &argument) {
  return argument.binding == Binding::array || argument.binding == Binding::scratch ||
         argument.binding == Binding::x || argument.binding == Binding::y;
}

static void emitParameter(llvm::raw_ostream &out, const Argument &argument) {
  const bool written = argument.binding == Binding::y || argument.binding == Binding::scratch;
  if (isPointer(argument) && !written)
    out << "const ";
  out << deviceNameOf(argument.type) << " ";
  if (isPointer(argument))
    out << "*__restrict__ ";
  out << argument.name;
}

static void emitKernel(llvm::raw_ostream &out, const Kernel &kernel) {
  out << "\nextern \"C\" __global__ void __launch_bounds__(" << kernel.blockThreads;
  if (kernel.blocksPerSm > 0)
    out << ", " << kernel.blocksPerSm;
  out << ")\n" << kernel.name << "(";
  const char *separator = "";
  for (const Argument &argument : kernel.arguments) {
    out << separator;
    emitParameter(out, argument);
    separator = ",\n    ";
  }
  out << ") {\n  specmv::" << kernel.function << "<specmv::" << kernel.plan
      << ">(\n      specmv::" << kernel.args << "<";
  separator = "";
  for (ElementType type : kernel.types) {
    out << separator << deviceNameOf(type);
    separator = ", ";
  }
  out << ">{\n";
  for (const Argument &argument : kernel.arguments)
    out << "          ." << argument.name << " = " << argument.name << ",\n";
  out << "      });\n}\n";
}

KernelSource emit(const Plan &plan, const Problem &problem, const std::vector<std::string> &headers,
                  const std::vector<PlanConstant> &constants, const std::vector<Kernel> &kernels) {
  KernelSource source;
  llvm::raw_string_ostream out(source.text);
  // Nothing here that does not change the code: plans with the same code share one object.
  out << "// y = alpha A x + beta y in " << nameOf(problem.type) << " by " << plan.format
      << ", emitted by specmv.\n";
  for (const std::string &header : headers)
    out << "#include \"" << header << "\"\n";
  out << "\nnamespace specmv {\n";
  for (const PlanConstant &constant : constants)
    emitConstant(out, constant);
  out << "} // namespace specmv\n";
  for (const Kernel &kernel : kernels)
    emitKernel(out, kernel);
  return source;
}

Step launchOf(const Kernel &kernel, int64_t blocks) {
  Launch launch;
  launch.kernel = kernel.name;
  launch.grid = {static_cast<uint32_t>(blocks), 1, 1};
  launch.blockThreads = static_cast<uint32_t>(kernel.blockThreads);
  launch.arguments = kernel.arguments;
  launch.sharedBytes = static_cast<uint32_t>(kernel.sharedBytes);
  return {std::move(launch)};
}

static llvm::Error checkNumber(const Plan &plan, const PlanNumber &number) {
  const int64_t value = plan.get(number.name, number.least - 1);
  const bool isRound = !number.isPowerOfTwo || llvm::isPowerOf2_64(static_cast<uint64_t>(value));
  if (value < number.least || value > number.most || !isRound)
    return fail(Status::notApplicable, "plan has {0} = {1}, not {2} from {3} to {4}", number.name,
                value, number.isPowerOfTwo ? "a power of two" : "a number", number.least,
                number.most);
  return llvm::Error::success();
}

llvm::Error checkNumbers(const Plan &plan, llvm::ArrayRef<PlanNumber> numbers) {
  for (const PlanNumber &number : numbers)
    if (llvm::Error error = checkNumber(plan, number))
      return error;
  for (const char *bits : {"offset", "column"})
    if (llvm::Error error = checkNumber(plan, {bits, 32, 64, /*isPowerOfTwo=*/true}))
      return error;
  return llvm::Error::success();
}

static ElementType indexOfBits(int64_t bits) {
  return bits == 64 ? ElementType::i64 : ElementType::i32;
}

IndexTypes indexTypesOf(const Plan &plan) {
  return {indexOfBits(plan.get("offset", 32)), indexOfBits(plan.get("column", 32))};
}

// The largest number a 32-bit index may have to hold: a block's last thread computes an index
// beyond the last row before it is compared, so that much is kept free.
constexpr int64_t kMaxIndex32 = 0x7fffffffLL - (1 << 20);

static int64_t bitsFor(int64_t largest) { return largest <= kMaxIndex32 ? 32 : 64; }

void addIndexTypes(Plan &plan, int64_t rows, int64_t cols, int64_t slots) {
  plan.integers.emplace_back("offset", bitsFor(std::max(rows, slots)));
  plan.integers.emplace_back("column", bitsFor(cols));
}

llvm::Error checkIndexTypes(const Plan &plan, int64_t rows, int64_t cols, int64_t slots) {
  if (bitsFor(std::max(rows, slots)) > plan.get("offset", 32))
    return fail(Status::notApplicable,
                "plan has 32-bit offsets, the matrix has {0} rows and {1} slots", rows, slots);
  if (bitsFor(cols) > plan.get("column", 32))
    return fail(Status::notApplicable, "plan has 32-bit columns, the matrix has {0} columns", cols);
  return llvm::Error::success();
}

bool isFixed(const Fixed &fixed, const char *name) {
  return std::any_of(fixed.begin(), fixed.end(), [&](auto &f) { return f.first == name; });
}

int64_t fixedOr(const Fixed &fixed, const char *name, int64_t otherwise) {
  for (const auto &[key, value] : fixed)
    if (key == name)
      return static_cast<int64_t>(value);
  return otherwise;
}

} // namespace specmv
