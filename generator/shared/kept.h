// Keeps what several plans of one request need and what takes long to compute.
#pragma once

#include "generator/format.h"

namespace specmv {

// compute(in, number), called once for each number of a request. Kept with the request, so the
// reference is good as long as that is.
template <auto compute> const auto &kept(const PlanRequest &in, int64_t number = 0) {
  using Value = decltype(compute(in, number));
  static constexpr char what = 0; // its address names the function
  for (const KeptValue &value : in.kept)
    if (value.what == &what && value.number == number)
      return *static_cast<const Value *>(value.at.get());
  auto made = std::make_shared<const Value>(compute(in, number));
  const Value &value = *made;
  in.kept.push_back({&what, number, std::move(made)});
  return value;
}

} // namespace specmv
