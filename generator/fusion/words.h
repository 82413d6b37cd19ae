// The words of the language of fused steps: its types and functions, and which names a step may
// choose.
#pragma once

#include "models/csr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

// --- Types ---

// The types of values, in the order in which operators convert them: two operands become the later
// type. `long` and the unsigned types are one here, since they are seldom wanted.
enum class StepType : uint8_t { boolean, int32, int64, otherInteger, float32, float64 };

constexpr bool isFloating(StepType type) { return type >= StepType::float32; }
// The type of `real`.
constexpr StepType realOf(ValueType type) {
  return type == ValueType::f32 ? StepType::float32 : StepType::float64;
}
// The type in which an operator computes with both.
StepType commonOf(StepType a, StepType b);

// Returns true for a word that types consist of: real, double, float, int, long, unsigned, bool.
bool isTypeWord(llvm::StringRef word);
// The type that words such as "long long" name; nothing if they name none.
std::optional<StepType> typeNamed(llvm::StringRef words, StepType real);

// --- Functions ---

// Which types of arguments a function takes, so that the compiler finds one function for them.
enum class Takes : uint8_t {
  reals,          // float or double, all that are no integers the same
  power,          // the same, and an int as the exponent
  realAndInteger, // float or double, and an integer
  sameReals,      // all float or all double
  absolute,       // float, double, int or long long
  extreme,        // all of them float or double, or the same type of integers
  anything,       // which becomes float
};

struct StepFunction {
  llvm::StringLiteral name;
  int arguments;
  Takes takes;
  bool isPredicate = false; // returns bool
};

llvm::ArrayRef<StepFunction> stepFunctions();
// A name with an f at its end, such as sqrtf, is that of the version for float. Returns nothing if
// there is no function of that name.
std::optional<StepFunction> findStepFunction(llvm::StringRef name);

// The type of a call; otherwise why it cannot be compiled, to follow the name in a sentence.
struct CallType {
  StepType type;
  const char *whyNot = nullptr;
};
CallType typeOfCall(const StepFunction &function, llvm::ArrayRef<StepType> arguments);

// --- Names ---

// The keywords of C++, also those of the language of steps, and the words that stand for operators.
llvm::ArrayRef<llvm::StringLiteral> wordsOfCpp();
bool isWordOfCpp(llvm::StringRef word);
// Returns true for a keyword that the language has, such as if.
bool isWordOfSteps(llvm::StringRef word);

// Why a step cannot have something of that name; "" if it can. `kind` is a noun, such as vector.
std::string whyNotName(llvm::StringRef name, const char *kind);

} // namespace specmv
