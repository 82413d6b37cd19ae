// Writes a kernel's instantiation as CUDA source, and its launch as a step.
#include "generator/emit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

KernelSource::KernelSource(std::string emitted)
    : text(std::move(emitted)), digest(digestOfBytes(text)) {}

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
  out << ") {\n  specmv::" << kernel.function;
  if (!kernel.plan.empty())
    out << "<specmv::" << kernel.plan << ">";
  out << "(\n      specmv::" << kernel.args << (kernel.types.empty() ? "" : "<");
  separator = "";
  for (ElementType type : kernel.types) {
    out << separator << deviceNameOf(type);
    separator = ", ";
  }
  out << (kernel.types.empty() ? "{\n" : ">{\n");
  for (const Argument &argument : kernel.arguments)
    out << "          ." << argument.name << " = " << argument.name << ",\n";
  out << "      });\n}\n";
}

KernelSource emit(const Plan &plan, const Problem &problem, const std::vector<std::string> &headers,
                  const std::vector<PlanConstant> &constants, const std::vector<Kernel> &kernels) {
  // The text must contain nothing that does not change the code, since plans with equal text share
  // one compiled object.
  return emitSource(
      llvm::formatv("y = alpha A x + beta y in {0} by {1}", nameOf(problem.type), plan.format),
      headers, constants, kernels);
}

KernelSource emitSource(const std::string &title, const std::vector<std::string> &headers,
                        const std::vector<PlanConstant> &constants,
                        const std::vector<Kernel> &kernels) {
  std::string text;
  text.reserve(8 << 10); // of the longest
  llvm::raw_string_ostream out(text);
  out << "// " << title << ", emitted by specmv.\n";
  for (const std::string &header : headers)
    out << "#include \"" << header << "\"\n";
  if (!constants.empty()) {
    out << "\nnamespace specmv {\n";
    for (const PlanConstant &constant : constants)
      emitConstant(out, constant);
    out << "} // namespace specmv\n";
  }
  for (const Kernel &kernel : kernels)
    emitKernel(out, kernel);
  return KernelSource(std::move(text));
}

Kernel mainKernel(const char *function, const char *args, const Plan &plan, const Problem &problem,
                  const Fields &fields) {
  const auto [value, offset, column] = typesOf(plan, problem);
  return {.name = kKernelName,
          .function = function,
          .plan = kPlanName,
          .args = args,
          .types = {value, offset, column},
          .blockThreads = plan.get("block"),
          .arguments = argumentsOf(fields)};
}

Steps launchOnly(const Kernel &kernel, int64_t blocks) {
  return blocks == 0 ? Steps{} : Steps{launchOf(kernel, blocks)};
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

} // namespace specmv
