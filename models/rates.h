// Numbers that formats use to price their products on one GPU: efficiencies, costs in passes and
// the like, by name ("csr5.efficiencyShort").
#pragma once

#include "models/rate.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace specmv {

// A rate that is compiled into the program, or a free place of a table of rates.
struct FlatRate {
  uint64_t hash = 0; // of its name
  const char *name = nullptr;
  double value = 0;
};

// Calls f for the places of a table where a rate with this hash may be, in the order in which they
// are filled, until it returns true. The number of places is a power of two.
template <class Table, class F> void forPlaces(Table &&table, uint64_t hash, const F &f) {
  for (size_t at = hash, i = 0; i < table.size(); ++i, ++at)
    if (f(table[at & (table.size() - 1)]))
      return;
}

class Rates {
public:
  Rates() = default;
  // Uses the rates of a table, which was filled by forPlaces() and must stay alive. Rates that are
  // set take precedence.
  explicit Rates(llvm::ArrayRef<FlatRate> table) : table_(table) {}

  void set(const std::string &name, double value) { values_[rateHash(name)] = {name, value}; }
  bool contains(llvm::StringRef name) const { return find(rateHash(name)) != nullptr; }
  bool contains(const Rate &rate) const { return find(rate.hash) != nullptr; }
  // Returns a rate, or its default. Must be fast: pricing the plans of one matrix takes a thousand
  // calls.
  double operator[](const Rate &rate) const {
    const double *const value = find(rate.hash);
    return value ? *value : rate.byDefault;
  }
  // Returns a rate that must exist.
  double operator[](llvm::StringRef name) const { return existing(rateHash(name)); }
  // Returns the rate of this name in a group; if there is none, that of another group, which must
  // exist.
  double inGroup(llvm::StringRef group, llvm::StringRef name, llvm::StringRef otherwise) const {
    const auto hashIn = [&](llvm::StringRef of) {
      return rateHash(name, rateHash(".", rateHash(of)));
    };
    const double *const own = find(hashIn(group));
    return own ? *own : existing(hashIn(otherwise));
  }
  // Returns true if all rates are those of a table.
  bool isTable() const { return values_.empty() && !table_.empty(); }
  // All rates by ascending name.
  std::map<std::string, double> all() const {
    std::map<std::string, double> out;
    for (const auto &[hash, named] : values_)
      out.insert(named);
    for (const FlatRate &rate : table_)
      if (rate.name)
        out.emplace(rate.name, rate.value);
    return out;
  }

private:
  double existing(uint64_t hash) const {
    const double *const value = find(hash);
    assert(value && "the GPU model has no such rate");
    return value ? *value : 1;
  }

  // Two of a few hundred names share a hash of 64 bits with a probability of 1e-14.
  const double *find(uint64_t hash) const {
    if (!values_.empty())
      if (const auto own = values_.find(hash); own != values_.end())
        return &own->second.second;
    const double *found = nullptr;
    forPlaces(table_, hash, [&](const FlatRate &rate) {
      if (rate.hash == hash)
        found = &rate.value;
      return found || !rate.name;
    });
    return found;
  }

  llvm::ArrayRef<FlatRate> table_;
  std::unordered_map<uint64_t, std::pair<std::string, double>> values_; // by hash
};

} // namespace specmv
