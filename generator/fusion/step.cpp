// Emits the statements of fused steps as device code, with their operands.
#include "generator/fusion/step.h"

#include "models/base/numbers.h"
#include "templates/shared/constants.cuh"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

// Names of parameters, by position.
constexpr const char *kVectorNames[kStepVectors] = {"vector0", "vector1", "vector2", "vector3",
                                                    "vector4", "vector5", "vector6", "vector7"};
constexpr const char *kVectorNamesOfX[kStepVectors] = {
    "xvector0", "xvector1", "xvector2", "xvector3", "xvector4", "xvector5", "xvector6", "xvector7"};
constexpr const char *kScalarNames[kStepScalars] = {"scalar0", "scalar1", "scalar2", "scalar3",
                                                    "scalar4", "scalar5", "scalar6", "scalar7"};
constexpr const char *kScalarNamesOfX[kStepScalars] = {
    "xscalar0", "xscalar1", "xscalar2", "xscalar3", "xscalar4", "xscalar5", "xscalar6", "xscalar7"};
constexpr const char *kSumNames[kStepSums] = {"sum0", "sum1", "sum2", "sum3"};
constexpr const char *kPartials = "fusedPartials", *kSlots = "fusedSlots";

namespace {
// A vector or scalar that a text names.
struct StepOperand {
  Argument argument;
  const std::string *name; // in the text
  bool isWritten() const { return argument.binding == Binding::vectorOut; }
};
} // namespace

static bool isVector(const Argument &argument) {
  return argument.binding == Binding::vectorIn || argument.binding == Binding::vectorOut;
}

static ElementType stepValue(const Problem &problem) { return elementOf(vectorTypeOf(problem)); }

static Argument stepArgument(const char *name, Binding binding, const Problem &problem,
                             size_t index, const char *field) {
  Argument out{name, binding, stepValue(problem), "", field};
  out.index = static_cast<uint8_t>(index);
  return out;
}

// The vectors and scalars that a text names, in the order of the step's lists.
static std::vector<StepOperand> namedOperands(const Problem &problem, const std::string &text,
                                              bool isOfX) {
  const Fusion &f = *problem.fusion;
  const std::set<std::string> named = identifiersOf(text);
  const char *const field = isOfX ? "x.source" : "y.step";
  std::vector<StepOperand> out;
  for (size_t k = 0; k < f.vectors.size(); ++k)
    if (named.contains(f.vectors[k]))
      out.push_back({stepArgument(isOfX ? kVectorNamesOfX[k] : kVectorNames[k],
                                  f.writes(f.vectors[k]) ? Binding::vectorOut : Binding::vectorIn,
                                  problem, k, field),
                     &f.vectors[k]});
  size_t k = 0;
  for (const auto *list : {&f.scalars, &f.gpuScalars})
    for (const std::string &name : *list) {
      if (named.contains(name))
        out.push_back({stepArgument(isOfX ? kScalarNamesOfX[k] : kScalarNames[k],
                                    list == &f.scalars ? Binding::scalar : Binding::scalarAt,
                                    problem, k, field),
                       &name});
      ++k;
    }
  return out;
}

static void emitMember(llvm::raw_ostream &out, const Argument &a) {
  const char *const type = deviceNameOf(a.type);
  if (a.binding == Binding::scalar)
    out << "  " << type << " " << a.name << ";\n";
  else
    out << "  " << (isWritten(a.binding) ? "" : "const ") << type << " *" << a.name << ";\n";
}

static void emitHead(llvm::raw_ostream &out, const char *name,
                     const std::vector<StepOperand> &operands, const Problem &problem) {
  out << "struct " << name << " {\n  using Value = " << deviceNameOf(stepValue(problem)) << ";\n";
  for (const StepOperand &operand : operands)
    emitMember(out, operand.argument);
}

// The declaration of an operand in a text. A name that the compiler refuses, such as a keyword, is
// told by the file's name. Members are asked for by `this`, since names may hide them.
static void emitOperand(llvm::raw_ostream &out, const StepOperand &operand,
                        const std::string &value) {
  const Argument &a = operand.argument;
  out << "#line 1 \"name " << *operand.name << "\"\n    " << (operand.isWritten() ? "" : "const ")
      << "real " << *operand.name << " = ";
  if (isVector(a))
    out << value;
  else
    out << (a.binding == Binding::scalarAt ? "*" : "") << "this->" << a.name;
  out << ";\n";
}

// The text with its own numbers of lines, for messages of the compiler. It tells at `closing` what
// is missing at the end; what follows is not the caller's. The statements are not in braces: a
// variable with the name of a vector or a sum would hide it.
static void emitText(llvm::raw_ostream &out, const char *name, const std::string &text,
                     const char *closing) {
  out << "#line 1 \"" << name << "\"\n" << text << "\n" << closing << "\n#line 1 \"specmv\"\n";
}

static void emitStep(llvm::raw_ostream &out, const Problem &problem) {
  const Fusion &f = *problem.fusion;
  const std::vector<StepOperand> operands = namedOperands(problem, f.statements, false);
  emitHead(out, "Step", operands, problem);
  out << "  enum : int { kSums = " << f.sums.size() << " };\n"
      << "  __device__ __forceinline__ void run([[maybe_unused]] const Int64 i, "
      << "[[maybe_unused]] const Value ax,\n      [[maybe_unused]] Value *specmvSums) const {\n"
      << "    using real = Value;\n";
  for (const StepOperand &operand : operands)
    emitOperand(out, operand, std::string("this->") + operand.argument.name + "[i]");
  for (const std::string &sum : f.sums)
    out << "#line 1 \"name " << sum << "\"\n    real " << sum << " = 0;\n";
  emitText(out, "epilogue", f.statements, "    ;");
  for (const StepOperand &operand : operands)
    if (operand.isWritten())
      out << "    this->" << operand.argument.name << "[i] = " << *operand.name << ";\n";
  for (size_t s = 0; s < f.sums.size(); ++s)
    out << "    specmvSums[" << s << "] += " << f.sums[s] << ";\n";
  out << "  }\n  __device__ __forceinline__ void prefetchRow([[maybe_unused]] Int64 i) const {\n";
  for (const StepOperand &operand : operands)
    if (isVector(operand.argument) && !isAssignedFirst(f.statements, *operand.name))
      out << "    prefetch(" << operand.argument.name << " + i);\n";
  out << "  }\n";
  out << "};\n";
}

static void emitSourceOfX(llvm::raw_ostream &out, const Problem &problem) {
  const std::vector<StepOperand> operands = namedOperands(problem, problem.fusion->x, true);
  emitHead(out, "Source", operands, problem);
  out << "  __device__ __forceinline__ Value valueIf(bool specmvWanted, "
      << "[[maybe_unused]] const Int64 j) const {\n"
      << "    using real = Value;\n";
  for (const StepOperand &operand : operands)
    emitOperand(out, operand,
                std::string("specmv::loadReusedIf(specmvWanted, this->") + operand.argument.name +
                    " + j)");
  out << "    const real specmvX = (\n";
  emitText(out, "x", problem.fusion->x, "    );");
  out << "    return specmvWanted ? specmvX : real(0);\n  }\n};\n";
}

std::string stepDeclarations(const Problem &problem) {
  std::string text;
  llvm::raw_string_ostream out(text);
  emitStep(out, problem);
  if (problem.fusion->hasExpression())
    emitSourceOfX(out, problem);
  return text;
}

std::string fusedTypeOfX(const Problem &problem) {
  return problem.fusion->hasExpression() ? "specmv::FusedX<specmv::Source>" : "";
}
std::string fusedTypeOfY() { return "specmv::FusedRows<specmv::Step>"; }

static Field stepField(const Argument &argument) { return {Field::Kind::argument, argument}; }

static Fields fieldsOfX(const Problem &problem) {
  if (!problem.fusion->hasExpression())
    return {fieldOfX(problem)};
  Fields out;
  for (const StepOperand &operand : namedOperands(problem, problem.fusion->x, true))
    out.push_back(stepField(operand.argument));
  return out;
}

static Fields fieldsOfRows(const Problem &problem) {
  const Fusion &f = *problem.fusion;
  Fields out;
  for (const StepOperand &operand : namedOperands(problem, f.statements, false))
    out.push_back(stepField(operand.argument));
  if (!f.sums.empty()) {
    out.push_back(scratch(kPartials, stepValue(problem), 0));
    out.push_back(number(kSlots, ElementType::i64, 0));
    for (Field *field : {&out[out.size() - 2], &out.back()})
      field->argument.field = "y";
  }
  return out;
}

Fields fusedVectors(const Problem &problem) {
  return joined({fieldsOfX(problem), fieldsOfRows(problem)});
}

// The kernel that adds up the partial sums of all blocks. The parameters are as those of the step.
static Kernel sumsKernel(const Problem &problem) {
  const ElementType value = stepValue(problem);
  Kernel out{.name = "specmv_sums",
             .function = "fusedSums",
             .plan = "",
             .args = "FusedSumsArgs",
             .types = {},
             .blockThreads = kSumThreads,
             .arguments = {{"partials", Binding::scratch, value, kPartials},
                           {"slots", Binding::integer, ElementType::i64, kSlots}},
             .operands = OperandTypes{value, ElementType::i64, ElementType::i64},
             .onY = OnY::nothing};
  for (size_t s = 0; s < problem.fusion->sums.size(); ++s)
    out.arguments.push_back(stepArgument(kSumNames[s], Binding::sum, problem, s, "sum"));
  return out;
}

static bool hasOpenRows(const Launch &launch) {
  return llvm::any_of(launch.arguments,
                      [](const Argument &a) { return a.name == llvm::StringRef("openFirst"); });
}

void addSums(Steps &steps, Layout &layout, const Problem &problem) {
  const auto sums = static_cast<int64_t>(problem.fusion->sums.size());
  if (sums == 0)
    return;
  const Launch &launch = std::get<Launch>(steps.back().action);
  const int64_t slots = int64_t{launch.grid[0]} * (hasOpenRows(launch) ? 2 : 1);
  layout.addScratch(kPartials, stepValue(problem), sums * slots);
  layout.integers.emplace_back(kSlots, slots);
  steps.push_back(launchOf(sumsKernel(problem), sums));
}

static Kernel stepKernel(const Problem &problem) {
  Kernel out{.name = kKernelName,
             .function = "fusedRows",
             .plan = kPlanName,
             .args = "FusedRowsArgs",
             .types = {},
             .blockThreads = kStepThreads,
             .arguments = {{"ax", Binding::x, stepValue(problem)}},
             .onY = OnY::nothing};
  for (const Argument &argument : argumentsOf(fieldsOfRows(problem)))
    out.arguments.push_back(argument);
  out.arguments.push_back({"rows", Binding::integer, ElementType::i64});
  out.operands = OperandTypes{stepValue(problem), ElementType::i64, ElementType::i64};
  out.operands->y = fusedTypeOfY();
  return out;
}

std::vector<Kernel> withSums(std::vector<Kernel> kernels, const Problem &problem) {
  if (problem.fusion && !problem.fusion->sums.empty())
    kernels.push_back(sumsKernel(problem));
  return kernels;
}

KernelSource stepSource(const Problem &problem) {
  return emitSource(llvm::formatv("a step of a solver in {0}", nameOf(vectorTypeOf(problem))),
                    {"fused_rows.cuh"},
                    {{kPlanName, "FusedRowsPlan", {{"hasProduct", problem.fusion->hasProduct()}}}},
                    withSums({stepKernel(problem)}, problem), stepDeclarations(problem));
}

Steps stepSteps(const Problem &problem, int64_t rows) {
  return launchOnly(stepKernel(problem),
                    std::max<int64_t>(1, ceilDiv(rows, kStepThreads * kStepRows)));
}

constexpr const char *kResultOfX = "specmvResult";

Fusion stepOfX(const Fusion &fusion) {
  const std::set<std::string> named = identifiersOf(fusion.x);
  Fusion out;
  out.scalars = fusion.scalars;
  out.gpuScalars = fusion.gpuScalars;
  out.statements =
      std::string("const auto j = i;\n") + kResultOfX + " = (\n#line 1 \"x\"\n" + fusion.x + "\n);";
  llvm::copy_if(fusion.vectors, std::back_inserter(out.vectors),
                [&](const std::string &name) { return named.contains(name); });
  out.vectors.emplace_back(kResultOfX);
  out.written = {kResultOfX};
  return out;
}

} // namespace specmv
