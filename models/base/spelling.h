// Finds the known word that a misspelt word was probably meant to be.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv {

// Returns "" if no known word is similar.
llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);
// Returns " (did you mean 'ell'?)", to follow the word in a sentence, or "" if no known word is
// similar.
std::string meantBy(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

// The names in a table, for meantBy().
template <class Table> std::vector<llvm::StringRef> namesIn(const Table &table) {
  std::vector<llvm::StringRef> names;
  for (const auto &row : table)
    names.push_back(row.name);
  return names;
}

} // namespace specmv
