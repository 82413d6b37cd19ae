// Numbers that formats use to price their products on one GPU: efficiencies, costs in passes and
// the like, by name ("csr5.efficiencyShort").
#pragma once

#include "models/rate.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace specmv {

// Hashes a rate's name (FNV-1a).
constexpr uint64_t rateHash(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// A rate that is compiled into the program.
struct FlatRate {
  uint64_t hash; // of its name
  const char *name;
  double value;
};

class Rates {
public:
  Rates() = default;
  // Uses a table's rates by ascending hash; the table must stay alive. Rates that are set take
  // precedence.
  explicit Rates(llvm::ArrayRef<FlatRate> table) : table_(table) {}

  void set(const std::string &name, double value) { values_[name] = value; }
  bool contains(llvm::StringRef name) const { return find(name) != nullptr; }
  // Returns a rate, or its default. Must be fast: pricing the plans of one matrix takes a thousand
  // calls.
  double operator[](const Rate &rate) const {
    const double *const value = find(rate.name);
    return value ? *value : rate.byDefault;
  }
  // Returns a rate that must exist.
  double operator[](llvm::StringRef name) const {
    const double *const value = find(name);
    assert(value && "the GPU model has no such rate");
    return value ? *value : 1;
  }
  // Returns true if all rates are those of a table.
  bool isTable() const { return values_.empty() && !table_.empty(); }
  // All rates by ascending name.
  std::map<std::string, double> all() const {
    std::map<std::string, double> out(values_.begin(), values_.end());
    for (const FlatRate &rate : table_)
      out.emplace(rate.name, rate.value);
    return out;
  }

private:
  struct Hash : std::hash<std::string_view> {
    // Allows a look-up by name without making a string. The standard defines this name.
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };
  using Values = std::unordered_map<std::string, double, Hash, std::equal_to<>>;

  const double *find(llvm::StringRef name) const {
    if (!values_.empty())
      if (const auto own = values_.find(std::string_view(name.data(), name.size()));
          own != values_.end())
        return &own->second;
    const uint64_t hash = rateHash(std::string_view(name.data(), name.size()));
    const FlatRate *at =
        std::lower_bound(table_.begin(), table_.end(), hash,
                         [](const FlatRate &rate, uint64_t wanted) { return rate.hash < wanted; });
    for (; at != table_.end() && at->hash == hash; ++at)
      if (at->name == name)
        return &at->value;
    return nullptr;
  }

  llvm::ArrayRef<FlatRate> table_;
  Values values_;
};

} // namespace specmv
