// Finds the known word that a misspelt one was probably meant to be.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv {

// "" if no known word is near.
llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);
// " (did you mean 'ell'?)", to stand behind the word in a sentence; "" if no known word is near.
std::string meantBy(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

// The names of the elements of a table, for meantBy().
template <class Table> std::vector<llvm::StringRef> namesIn(const Table &table) {
  std::vector<llvm::StringRef> names;
  for (const auto &row : table)
    names.push_back(row.name);
  return names;
}

} // namespace specmv
