// Reads single fields of a GPU model's JSON and says which one is at fault.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace specmv {

// What a number may be: far beyond any GPU, and so that no time of the models is infinite.
struct NumberRange {
  double least, most;
};

// Of a field that is there. `name` is what messages call it, "rates.ell.a".
llvm::Expected<double> readNumber(const llvm::json::Value &value, llvm::StringRef name,
                                  const NumberRange &range, llvm::StringRef origin);

// Text that is not empty and can be printed. Null: the field is missing.
llvm::Expected<std::string> readText(const llvm::json::Value *value, llvm::StringRef name,
                                     llvm::StringRef origin);

} // namespace specmv
