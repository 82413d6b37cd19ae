// What the papers' models say of a matrix, as text and as JSON, and QCSR's quadtree.
#pragma once

#include "runtime/cli/analyze/analysis.h"

namespace specmv::cli {

// Builds the tree as printed for the d of the best plan of QCSR; nullopt if there is none.
std::optional<Quadtree> quadtreeOf(const CsrView &a, const PlansFound &found);

// Appends lines.
void printPapers(llvm::raw_ostream &out, const Analysis &a);

// Adds the papers' names to a document of analyze (JSON.md).
void addPapers(llvm::json::Object &to, const Analysis &a);

} // namespace specmv::cli
