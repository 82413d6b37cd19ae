// Writes a kernel's instantiation as CUDA source, and its launch as a step.
#include "generator/emit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

KernelSource::KernelSource(std::string emitted)
    : text(std::move(emitted)), digest(digestOfBytes(text)) {}

// The plan is a function, since a variable would be one of the module
// (templates/shared/constants.cuh).
static void emitConstant(llvm::raw_ostream &out, const PlanConstant &constant) {
  out << "constexpr " << constant.type << " " << constant.name << "() {\n  return {";
  const char *separator = "";
  for (const auto &[name, list] : constant.lists) {
    out << separator << "." << name << " = {";
    llvm::interleaveComma(list, out);
    out << "}";
    separator = ", ";
  }
  for (const auto &[name, value] : constant.fields) {
    out << separator << "." << name << " = " << value;
    separator = ", ";
  }
  out << "};\n}\n";
}

static bool isScalar(const Argument &argument) {
  return argument.binding == Binding::alpha || argument.binding == Binding::beta;
}

static bool hasResultApart(const Kernel &kernel) {
  return llvm::any_of(kernel.arguments,
                      [](const Argument &a) { return a.binding == Binding::added; });
}

// z and y may be one vector.
static bool mayAlias(const Argument &argument, const Kernel &kernel) {
  return (argument.binding == Binding::y || argument.binding == Binding::added) &&
         hasResultApart(kernel);
}

static void emitParameter(llvm::raw_ostream &out, const Argument &argument, const Kernel &kernel) {
  const bool isPointed =
      isPointer(argument.binding) || (kernel.scalarsAreOnGpu && isScalar(argument));
  if (isPointed && !isWritten(argument.binding))
    out << "const ";
  out << deviceNameOf(argument.type) << " ";
  if (isPointed)
    out << (mayAlias(argument, kernel) ? "*" : "*__restrict__ ");
  out << argument.name;
}

// The value of a field of the arguments; "" for a parameter that is a part of another field.
static std::string valueOf(const Argument &argument, const Kernel &kernel) {
  if (kernel.scalarsAreOnGpu && isScalar(argument))
    return std::string("*") + argument.name;
  if (hasResultApart(kernel) && argument.binding == Binding::y)
    return "{y, added}";
  if (argument.binding == Binding::added)
    return "";
  if (kernel.vectors == 1)
    return argument.name;
  switch (argument.binding) {
  case Binding::x:
    return "{x, strideX}";
  case Binding::y:
    return "{y, strideY, stepY, count}";
  case Binding::strideX:
  case Binding::strideY:
  case Binding::stepY:
  case Binding::count:
    return "";
  default:
    return argument.name;
  }
}

static std::string templateArguments(const Kernel &kernel) {
  std::vector<std::string> out;
  for (ElementType type : kernel.types)
    out.emplace_back(deviceNameOf(type));
  out.insert(out.end(), kernel.furtherTypes.begin(), kernel.furtherTypes.end());
  return out.empty() ? "" : "<" + llvm::join(out, ", ") + ">";
}

static void emitKernel(llvm::raw_ostream &out, const Kernel &kernel) {
  out << "\nextern \"C\" __global__ void __launch_bounds__(" << kernel.blockThreads;
  if (kernel.blocksPerSm > 0)
    out << ", " << kernel.blocksPerSm;
  out << ")\n" << kernel.name << "(";
  const char *separator = "";
  for (const Argument &argument : kernel.arguments) {
    out << separator;
    emitParameter(out, argument, kernel);
    separator = ",\n    ";
  }
  out << ") {\n  specmv::" << kernel.function;
  if (!kernel.plan.empty())
    out << "<specmv::" << kernel.plan << "()>";
  out << "(\n      specmv::" << kernel.args << templateArguments(kernel) << "{\n";
  for (const Argument &argument : kernel.arguments)
    if (const std::string value = valueOf(argument, kernel); !value.empty())
      out << "          ." << argument.name << " = " << value << ",\n";
  out << "      });\n}\n";
}

static std::vector<Kernel> withScalars(std::vector<Kernel> kernels, const Problem &problem) {
  for (Kernel &kernel : kernels)
    kernel.scalarsAreOnGpu = problem.scalarsAreOnGpu;
  return kernels;
}

KernelSource emit(const Plan &plan, const Problem &problem, const std::vector<std::string> &headers,
                  const std::vector<PlanConstant> &constants, const std::vector<Kernel> &kernels) {
  // The text must contain nothing that does not change the code, since plans with equal text share
  // one compiled object.
  std::vector<std::string> included = headers;
  if (problem.vectors > 1)
    included.emplace_back("rows_of_x.cuh");
  return emitSource(llvm::formatv("{0} = alpha A x + beta y in {1} by {2}",
                                  problem.resultIsApart ? "z" : "y", nameOfTypes(problem),
                                  plan.format),
                    included, constants, withScalars(kernels, problem));
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

std::vector<std::string> storedType(const Problem &problem) {
  if (!problem.vectorsAreDouble)
    return {};
  return {deviceNameOf(elementOf(problem.type))};
}

std::vector<std::string> furtherTypesOf(const Problem &problem) {
  if (!problem.resultIsApart)
    return storedType(problem);
  const std::string value = deviceNameOf(elementOf(vectorTypeOf(problem)));
  return {deviceNameOf(elementOf(problem.type)), "const " + value + " *",
          "specmv::Apart<" + value + ">"};
}

Kernel mainKernel(const char *function, const char *args, const Plan &plan, const Problem &problem,
                  const Fields &fields) {
  const auto [value, offset, column] = kernelTypesOf(plan, problem);
  return {.name = kKernelName,
          .function = function,
          .plan = kPlanName,
          .args = args,
          .types = {value, offset, column},
          .blockThreads = plan.get(key::kBlock),
          .arguments = argumentsOf(fields),
          .furtherTypes = furtherTypesOf(problem)};
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
