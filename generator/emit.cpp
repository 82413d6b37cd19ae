// Writes a kernel's instantiation as CUDA source, and its launch as a step.
#include "generator/emit.h"

#include "generator/fusion/step.h"
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

constexpr Argument kPolicy{"policy", Binding::l2Policy, ElementType::u64};

static bool isArray(const Argument &argument) { return argument.binding == Binding::array; }

// Kernels of products read the arrays of the matrix by a policy for L2.
static bool hasPolicy(const Kernel &kernel) {
  return kernel.operands && llvm::any_of(kernel.arguments, isArray);
}

// The arguments of a kernel as it is launched.
static std::vector<Argument> parametersOf(const Kernel &kernel) {
  std::vector<Argument> out;
  if (hasPolicy(kernel))
    out.push_back(kPolicy);
  out.insert(out.end(), kernel.arguments.begin(), kernel.arguments.end());
  return out;
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

namespace {
// The field of a parameter, and the member of its first member; "" if the parameter is a member of
// the field.
struct FieldName {
  llvm::StringRef field, member;
};
using FieldNames = llvm::SmallVector<FieldName, 24>;
} // namespace

static FieldName fieldOf(const Argument &argument) {
  const auto [field, member] =
      llvm::StringRef(*argument.field ? argument.field : argument.name).split('.');
  return {field, member};
}

// Those of all arguments of a kernel, which are compared with one another.
static FieldNames fieldNamesOf(const Kernel &kernel) {
  FieldNames out;
  for (const Argument &argument : kernel.arguments)
    out.push_back(fieldOf(argument));
  return out;
}

static bool hasSums(const Kernel &kernel) {
  return llvm::any_of(kernel.arguments,
                      [](const Argument &a) { return a.name == llvm::StringRef("fusedSlots"); });
}

static std::string valueOf(const Argument &argument, const Kernel &kernel) {
  const std::string name = argument.name;
  if (kernel.scalarsAreOnGpu && isScalar(argument))
    return "*" + name;
  return isArray(argument) && hasPolicy(kernel) ? "specmv::streamed(" + name + ", policy)" : name;
}

// The parameters of a field in braces, or the only one if it has the field's name.
static std::string valueOf(llvm::StringRef field, const FieldNames &names, const Kernel &kernel) {
  llvm::SmallVector<std::string, 4> parts, inner;
  bool hasInner = field == "y" && hasSums(kernel); // its step is there without members, too
  bool isNamed = false;
  for (const auto &[argument, name] : llvm::zip(kernel.arguments, names))
    if (const auto &[own, member] = name; own == field) {
      hasInner |= !member.empty();
      isNamed |= field == argument.name;
      (member.empty() ? parts : inner).push_back(valueOf(argument, kernel));
    }
  if (hasInner)
    parts.insert(parts.begin(), "{" + llvm::join(inner, ", ") + "}");
  return isNamed && parts.size() == 1 ? parts[0] : "{" + llvm::join(parts, ", ") + "}";
}

// A type that is the default is left out, with those behind it.
static std::string textOf(const OperandTypes &types) {
  const std::string value = deviceNameOf(types.value);
  std::vector<std::string> views = {types.values, types.x, types.y};
  const std::string defaults[] = {streamedNameOf(types.value), "const " + value + " *",
                                  value + " *"};
  while (!views.empty() && views.back().empty())
    views.pop_back();
  std::vector<std::string> out = {value, deviceNameOf(types.offset), deviceNameOf(types.column)};
  for (size_t i = 0; i < views.size(); ++i)
    out.push_back(views[i].empty() ? defaults[i] : views[i]);
  return "specmv::Operands<" + llvm::join(out, ", ") + ">";
}

static std::string templateArguments(const Kernel &kernel) {
  std::vector<std::string> out;
  if (kernel.operands)
    out.push_back(textOf(*kernel.operands));
  for (ElementType type : kernel.types)
    out.emplace_back(deviceNameOf(type));
  out.insert(out.end(), kernel.numbers.begin(), kernel.numbers.end());
  return out.empty() ? "" : "<" + llvm::join(out, ", ") + ">";
}

static void emitKernel(llvm::raw_ostream &out, const Kernel &kernel) {
  out << "\nextern \"C\" __global__ void __launch_bounds__(" << kernel.blockThreads;
  if (kernel.blocksPerSm == kFullSm || kernel.blocksPerSm == kMostOfSm)
    out << ", specmv::FullSm<" << kernel.blockThreads << ">::kBlocks"
        << (kernel.blocksPerSm == kMostOfSm ? " * 3 / 4" : "");
  else if (kernel.blocksPerSm > 0)
    out << ", " << kernel.blocksPerSm;
  out << ")\n" << kernel.name << "(";
  const char *separator = "";
  for (const Argument &argument : parametersOf(kernel)) {
    out << separator;
    emitParameter(out, argument, kernel);
    separator = ",\n    ";
  }
  out << ") {\n";
  if (kernel.beginsEarly)
    out << "  specmv::waitForPrevious();\n";
  const std::string callee =
      "specmv::" + kernel.function + (kernel.plan.empty() ? "" : "<specmv::" + kernel.plan + "()>");
  // A fused step needs its arguments after the call.
  if (hasSums(kernel))
    out << "  const auto a =";
  else
    out << "  " << callee << "(";
  out << "\n      specmv::" << kernel.args << templateArguments(kernel) << "{\n";
  const FieldNames names = fieldNamesOf(kernel);
  llvm::SmallVector<llvm::StringRef, 24> done;
  for (const auto &[field, member] : names)
    if (!llvm::is_contained(done, field)) {
      out << "          ." << field << " = " << valueOf(field, names, kernel) << ",\n";
      done.push_back(field);
    }
  if (hasSums(kernel))
    out << "      };\n  " << callee << "(a);\n  specmv::finishSums<" << kernel.blockThreads
        << ">(a.y);\n}\n";
  else
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
  if (const Coding &coding = codingOf(plan); *coding.header)
    included.emplace_back(coding.header);
  if (problem.resultIsPlaced)
    included.emplace_back("shared/placed.cuh");
  if (problem.fusion)
    included.emplace_back("shared/fused.cuh");
  const char *const product = problem.fusion          ? "a step of a solver with A x"
                              : problem.resultIsApart ? "z = alpha A x + beta y"
                                                      : "y = alpha A x + beta y";
  return emitSource(llvm::formatv("{0} in {1} by {2}", product, nameOfTypes(problem), plan.format),
                    included, constants, withSums(withScalars(kernels, problem), problem),
                    problem.fusion ? stepDeclarations(problem) : "");
}

KernelSource emitSource(const std::string &title, const std::vector<std::string> &headers,
                        const std::vector<PlanConstant> &constants,
                        const std::vector<Kernel> &kernels, const std::string &declarations) {
  constexpr size_t kLongest = 8 << 10;
  std::string text;
  text.reserve(kLongest);
  llvm::raw_string_ostream out(text);
  out.SetBufferSize(kLongest); // most pieces have a few characters
  out << "// " << title << ", emitted by specmv.\n";
  for (const std::string &header : headers)
    out << "#include \"" << header << "\"\n";
  if (!constants.empty() || !declarations.empty()) {
    out << "\nnamespace specmv {\n";
    for (const PlanConstant &constant : constants)
      emitConstant(out, constant);
    out << declarations << "} // namespace specmv\n";
  }
  for (const Kernel &kernel : kernels)
    emitKernel(out, kernel);
  out.flush();
  return KernelSource(std::move(text));
}

// "" for a pointer.
static const char *viewOfY(const Problem &problem) {
  if (problem.resultIsPlaced)
    return "PlacedApart";
  return problem.resultIsApart ? "Apart" : "";
}

OperandTypes operandsOf(const Plan &plan, const Problem &problem, OnY onY) {
  const auto [value, offset, column] = kernelTypesOf(plan, problem);
  OperandTypes out{value, offset, column};
  const ElementType stored = elementOf(problem.type);
  if (const Coding &coding = codingOf(plan); coding.view)
    out.values = coding.view(plan, stored);
  else if (stored != value)
    out.values = streamedNameOf(stored);
  if (problem.fusion && onY == OnY::stores) {
    out.x = fusedTypeOfX(problem);
    out.y = fusedTypeOfY();
  } else if (const char *view = viewOfY(problem); *view && onY == OnY::stores)
    out.y = std::string("specmv::") + view + "<" + deviceNameOf(out.value) + ">";
  return out;
}

Kernel mainKernel(const char *function, const char *args, const Plan &plan, const Problem &problem,
                  const Fields &fields) {
  return {.name = kKernelName,
          .function = function,
          .plan = kPlanName,
          .args = args,
          .types = {},
          .blockThreads = plan.get(key::kBlock),
          .arguments = argumentsOf(fields),
          .operands = operandsOf(plan, problem)};
}

Steps launchOnly(const Kernel &kernel, int64_t blocks) {
  return blocks == 0 ? Steps{} : Steps{launchOf(kernel, blocks)};
}

Step launchOf(const Kernel &kernel, int64_t blocks) {
  Launch launch;
  launch.kernel = kernel.name;
  launch.grid = {static_cast<uint32_t>(blocks), 1, 1};
  launch.blockThreads = static_cast<uint32_t>(kernel.blockThreads);
  launch.arguments = parametersOf(kernel);
  launch.sharedBytes = static_cast<uint32_t>(kernel.sharedBytes);
  launch.onY = kernel.onY;
  launch.leavesL1 = kernel.leavesL1;
  return {std::move(launch)};
}

} // namespace specmv
