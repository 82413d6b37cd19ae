// The types and functions of texts, and how the compiler chooses among functions of one name.
#include "generator/fusion/words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

StepType commonOf(StepType a, StepType b) { return std::max({a, b, StepType::int32}); }

namespace {
struct NamedStepType {
  llvm::StringLiteral words;
  std::optional<StepType> type; // nothing for that of the vectors
};
} // namespace

constexpr NamedStepType kStepTypes[] = {{"real", std::nullopt},
                                        {"double", StepType::float64},
                                        {"float", StepType::float32},
                                        {"int", StepType::int32},
                                        {"long long", StepType::int64},
                                        {"long", StepType::otherInteger},
                                        {"unsigned", StepType::otherInteger},
                                        {"unsigned int", StepType::otherInteger},
                                        {"unsigned long", StepType::otherInteger},
                                        {"unsigned long long", StepType::otherInteger},
                                        {"bool", StepType::boolean}};

bool isTypeWord(llvm::StringRef word) {
  static constexpr llvm::StringLiteral kWords[] = {"real", "double",   "float", "int",
                                                   "long", "unsigned", "bool"};
  return llvm::is_contained(kWords, word);
}

std::optional<StepType> typeNamed(llvm::StringRef words, StepType real) {
  for (const NamedStepType &one : kStepTypes)
    if (one.words == words)
      return one.type.value_or(real);
  return std::nullopt;
}

// CUDA's functions of real numbers that have no pointers, and ratio() of
// templates/shared/fused.cuh. Those of Bessel take 15 ms each to compile.
llvm::ArrayRef<StepFunction> stepFunctions() {
  static constexpr StepFunction kFunctions[] = {{"acos", 1, Takes::reals},
                                                {"acosh", 1, Takes::reals},
                                                {"asin", 1, Takes::reals},
                                                {"asinh", 1, Takes::reals},
                                                {"atan", 1, Takes::reals},
                                                {"atanh", 1, Takes::reals},
                                                {"cbrt", 1, Takes::reals},
                                                {"ceil", 1, Takes::reals},
                                                {"cos", 1, Takes::reals},
                                                {"cosh", 1, Takes::reals},
                                                {"cospi", 1, Takes::reals},
                                                {"erf", 1, Takes::reals},
                                                {"erfc", 1, Takes::reals},
                                                {"erfcinv", 1, Takes::reals},
                                                {"erfcx", 1, Takes::reals},
                                                {"erfinv", 1, Takes::reals},
                                                {"exp", 1, Takes::reals},
                                                {"exp10", 1, Takes::reals},
                                                {"exp2", 1, Takes::reals},
                                                {"expm1", 1, Takes::reals},
                                                {"fabs", 1, Takes::reals},
                                                {"floor", 1, Takes::reals},
                                                {"lgamma", 1, Takes::reals},
                                                {"log", 1, Takes::reals},
                                                {"log10", 1, Takes::reals},
                                                {"log1p", 1, Takes::reals},
                                                {"log2", 1, Takes::reals},
                                                {"logb", 1, Takes::reals},
                                                {"nearbyint", 1, Takes::reals},
                                                {"normcdf", 1, Takes::reals},
                                                {"normcdfinv", 1, Takes::reals},
                                                {"rcbrt", 1, Takes::reals},
                                                {"rint", 1, Takes::reals},
                                                {"round", 1, Takes::reals},
                                                {"rsqrt", 1, Takes::reals},
                                                {"sin", 1, Takes::reals},
                                                {"sinh", 1, Takes::reals},
                                                {"sinpi", 1, Takes::reals},
                                                {"sqrt", 1, Takes::reals},
                                                {"tan", 1, Takes::reals},
                                                {"tanh", 1, Takes::reals},
                                                {"tgamma", 1, Takes::reals},
                                                {"trunc", 1, Takes::reals},
                                                {"atan2", 2, Takes::reals},
                                                {"copysign", 2, Takes::reals},
                                                {"fdim", 2, Takes::reals},
                                                {"fmax", 2, Takes::reals},
                                                {"fmin", 2, Takes::reals},
                                                {"fmod", 2, Takes::reals},
                                                {"hypot", 2, Takes::reals},
                                                {"nextafter", 2, Takes::reals},
                                                {"remainder", 2, Takes::reals},
                                                {"rhypot", 2, Takes::reals},
                                                {"fma", 3, Takes::reals},
                                                {"pow", 2, Takes::power},
                                                {"ldexp", 2, Takes::realAndInteger},
                                                {"scalbn", 2, Takes::realAndInteger},
                                                {"isfinite", 1, Takes::reals, true},
                                                {"isinf", 1, Takes::reals, true},
                                                {"isnan", 1, Takes::reals, true},
                                                {"signbit", 1, Takes::reals, true},
                                                {"ratio", 2, Takes::sameReals},
                                                {"abs", 1, Takes::absolute},
                                                {"max", 2, Takes::extreme},
                                                {"min", 2, Takes::extreme}};
  return kFunctions;
}

static bool hasFloatVersion(const StepFunction &function) {
  return !function.isPredicate && function.takes != Takes::sameReals &&
         function.takes != Takes::absolute && function.takes != Takes::extreme;
}

std::optional<StepFunction> findStepFunction(llvm::StringRef name) {
  const auto named = [](llvm::StringRef wanted) -> const StepFunction * {
    const auto *at =
        llvm::find_if(stepFunctions(), [&](const StepFunction &f) { return f.name == wanted; });
    return at == stepFunctions().end() ? nullptr : at;
  };
  if (const StepFunction *whole = named(name))
    return *whole;
  const StepFunction *version = name.consume_back("f") ? named(name) : nullptr;
  if (!version || !hasFloatVersion(*version))
    return std::nullopt;
  StepFunction out = *version;
  out.takes = Takes::anything;
  return out;
}

// --- Calls ---

// Tests with NVRTC: the functions of one name are for float and for double, so that the arguments
// must tell which is meant.
static CallType typeOfReals(llvm::ArrayRef<StepType> arguments) {
  const StepType type = *std::max_element(arguments.begin(), arguments.end());
  if (!isFloating(type))
    return {type, "needs an argument that is no integer; write real(...) around one"};
  for (const StepType other : arguments)
    if (isFloating(other) && other != type)
      return {type, "has an argument of float and one of double; write real(...) around each that "
                    "is not real"};
  return {type};
}

static CallType typeOfPower(llvm::ArrayRef<StepType> arguments) {
  const StepType exponent = arguments[1];
  if (exponent > StepType::int32 && !isFloating(exponent))
    return {exponent, "has an exponent that is an integer but no int; write int(...) or real(...) "
                      "around it"};
  return typeOfReals(arguments);
}

static CallType typeOfExtreme(llvm::ArrayRef<StepType> arguments) {
  const StepType type = commonOf(arguments[0], arguments[1]);
  const bool isInt = type == StepType::int32;
  for (const StepType each : arguments)
    if (isFloating(type) ? !isFloating(each) : !isInt && each != StepType::int64)
      return {type, "has arguments of different types, or of a type that is neither real, int nor "
                    "long long; write real(...) around each"};
  return {type};
}

CallType typeOfCall(const StepFunction &function, llvm::ArrayRef<StepType> arguments) {
  switch (function.takes) {
  case Takes::reals: {
    CallType out = typeOfReals(arguments);
    out.type = function.isPredicate ? StepType::boolean : out.type;
    return out;
  }
  case Takes::power:
    return typeOfPower(arguments);
  case Takes::realAndInteger:
    return isFloating(arguments[1])
               ? CallType{arguments[0], "needs an integer second; write int(...) around it"}
               : typeOfReals(arguments.take_front(1));
  case Takes::sameReals:
    return isFloating(arguments[0]) && arguments[0] == arguments[1]
               ? CallType{arguments[0]}
               : CallType{arguments[0], "needs two arguments of the same type, float or double; "
                                        "write real(...) around each that is not real"};
  case Takes::absolute:
    return arguments[0] == StepType::otherInteger
               ? CallType{arguments[0], "needs an int, a long long or a real; write real(...) "
                                        "around its argument"}
               : CallType{commonOf(arguments[0], StepType::int32)};
  case Takes::extreme:
    return typeOfExtreme(arguments);
  case Takes::anything:
    break;
  }
  return {StepType::float32};
}

} // namespace specmv
