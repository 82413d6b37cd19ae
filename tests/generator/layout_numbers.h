// Reads the arrays of a layout as numbers, whatever their integer type.
#pragma once

#include "generator/layout.h"

#include <doctest/doctest.h>

namespace specmv::testing {

inline int64_t numberAt(const LayoutArray &array, int64_t i) {
  if (i < 0 || i >= array.count()) // makes no assertion if the element exists
    FAIL(array.name, " has no element ", i);
  switch (array.type) {
  case ElementType::u8:
    return array.as<uint8_t>()[i];
  case ElementType::u16:
    return array.as<uint16_t>()[i];
  case ElementType::u32:
    return array.as<uint32_t>()[i];
  case ElementType::i32:
    return array.as<int32_t>()[i];
  default:
    return array.as<int64_t>()[i];
  }
}

inline std::vector<int64_t> numbersOf(const Layout &layout, const char *name) {
  const LayoutArray *array = layout.find(name);
  REQUIRE(array);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < array->count(); ++i)
    out.push_back(numberAt(*array, i));
  return out;
}

// Reads an array that must have this type.
inline std::vector<int64_t> numbersOf(const Layout &layout, const char *name, ElementType type) {
  REQUIRE(layout.find(name));
  REQUIRE(layout.find(name)->type == type);
  return numbersOf(layout, name);
}

} // namespace specmv::testing
