// Keeps results that several plans of one request need and that take long to compute.
#pragma once

#include "generator/format.h"

namespace specmv {

// Returns compute(in, key), which is called once for each request and key. The key is a number or
// an address. The result lives as long as the request.
template <auto compute, class Key = int64_t> const auto &kept(const PlanRequest &in, Key key = 0) {
  using Value = decltype(compute(in, key));
  static constexpr char what = 0; // its address names the function
  const auto number = int64_t(key);
  if (const void *known = in.kept.find(&what, number))
    return *static_cast<const Value *>(known);
  auto made = std::make_shared<const Value>(compute(in, key));
  const Value &value = *made;
  in.kept.add({&what, number, std::move(made)});
  return value;
}

} // namespace specmv
