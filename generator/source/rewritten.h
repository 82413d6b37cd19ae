// Rewrites declarations for a plan: its operands, numbers and arguments, and the choices of
// constants.
#pragma once

#include "generator/source/declarations.h"
#include "generator/source/printed.h"
#include "generator/source/tokens.h"

namespace specmv::source {

// --- Operands ------------------------------------------------------------------------------------

// The operands of kernels: in templates/ a parameter T, in an emitted file types of the file.

// Puts types of the file in the place of T: those of the kernel with the most of its own. The
// templates of other kernels that need other types keep their parameter.
void putOperands(SourceParts &parts);

// Removes teams from kernels that multiply one vector: a team is one thread, and its sum one value.
void putOneVector(SourceParts &parts);

// --- Plan numbers --------------------------------------------------------------------------------

// The plan of a kernel: in templates/ a parameter of its type, in an emitted file a struct of
// constants.

// `constexpr EllPlan plan() { return {.width = 5}; }` of a source.
struct PlanNumbers {
  std::string type, function;
  Numbers fields;
  std::map<std::string, std::string, std::less<>> lists; // the text between the braces
};

// Returns no numbers if the declaration is no plan.
std::optional<PlanNumbers> planNumbersOf(const Declaration &d);

// Takes the template parameter for the plan out of the declaration, and the arguments for it.
void putPlan(Declaration &d, const PlanNumbers &plan);

// Takes the plan out of a kernel's call: `f<plan()>` -> `f`.
void dropPlan(Tokens &tokens, const PlanNumbers &plan);

// Makes the struct of the plan's fields one of constants, which it returns.
Numbers putConstants(Declaration &d, const PlanNumbers &plan);

// --- Arguments -----------------------------------------------------------------------------------

// The parameters of a kernel, and the struct of arguments that it makes of them.

// Initializes the struct by position, in the order of its members, as C++17 has it, and fills the
// lines of the parameters.
void putInOrder(Declaration &kernel, llvm::ArrayRef<Declaration> types);

// --- Decided -------------------------------------------------------------------------------------

// Removes the branches of a declaration that its constants decide, and marks its functions as ones
// of the device.

// Decides `if constexpr` and the choices of constants, and leaves out assertions that hold and
// constants that nothing names.
void decide(Tokens &all, Numbers numbers);

// Says of the functions that host and device share that they are ones of the device.
void putOnDevice(Declaration &d);

} // namespace specmv::source
