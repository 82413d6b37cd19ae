// Keeps what several plans of one request need and what takes long to compute.
#pragma once

#include "generator/format.h"

namespace specmv {

// compute(in, key), called once for each key of a request, a number or an address. Kept with the
// request, so the reference is good as long as that is.
template <auto compute, class Key = int64_t> const auto &kept(const PlanRequest &in, Key key = 0) {
  using Value = decltype(compute(in, key));
  static constexpr char what = 0; // its address names the function
  const auto number = int64_t(key);
  for (const KeptValue &value : in.kept)
    if (value.what == &what && value.number == number)
      return *static_cast<const Value *>(value.at.get());
  auto made = std::make_shared<const Value>(compute(in, key));
  const Value &value = *made;
  in.kept.push_back({&what, number, std::move(made)});
  return value;
}

} // namespace specmv
