// Numbers by which formats price their products on one GPU: efficiencies, costs in passes and the
// like, by name ("csr5.efficiencyShort").
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <map>
#include <string>

namespace specmv {

class Rates {
public:
  void set(std::string name, double value) { values_[std::move(name)] = value; }
  bool contains(llvm::StringRef name) const { return values_.find(name) != values_.end(); }
  // Of a rate that there is.
  double operator[](llvm::StringRef name) const {
    const auto found = values_.find(name);
    assert(found != values_.end() && "the GPU model has no such rate");
    return found == values_.end() ? 1 : found->second;
  }
  // By ascending name.
  const std::map<std::string, double, std::less<>> &all() const { return values_; }

private:
  std::map<std::string, double, std::less<>> values_;
};

} // namespace specmv
