// Numbers by which formats price their products on one GPU: efficiencies, costs in passes and the
// like, by name ("csr5.efficiencyShort").
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace specmv {

class Rates {
public:
  void reserve(size_t count) { values_.reserve(count); }
  void set(const std::string &name, double value) { values_[name] = value; }
  bool contains(llvm::StringRef name) const { return found(name) != values_.end(); }
  size_t size() const { return values_.size(); }
  // Of a rate that there is. Plans of one matrix are priced by a thousand of these.
  double operator[](llvm::StringRef name) const {
    const auto at = found(name);
    assert(at != values_.end() && "the GPU model has no such rate");
    return at == values_.end() ? 1 : at->second;
  }
  // By ascending name.
  std::map<std::string, double> all() const { return {values_.begin(), values_.end()}; }

private:
  struct Hash : std::hash<std::string_view> {
    // So that no string is made to look up a name. The standard chose it.
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };
  using Values = std::unordered_map<std::string, double, Hash, std::equal_to<>>;
  Values::const_iterator found(llvm::StringRef name) const {
    return values_.find(std::string_view(name.data(), name.size()));
  }
  Values values_;
};

} // namespace specmv
