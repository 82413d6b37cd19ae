// Describes the facts about a matrix's values.
#pragma once

#include "models/profile/value_facts.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Returns the values of a document of analyze (JSON.md).
llvm::json::Object valuesJson(const ValueFacts &facts);
// Returns one line, such as "3 distinct, exact in f32": the shortest types say the most.
std::string valuesText(const ValueFacts &facts);

} // namespace specmv::cli
