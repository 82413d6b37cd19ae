// The table of a format's arrays and numbers, one line each. Three things are made from it, and so
// agree: the bytes that a prediction counts, the arrays of the layout, and the kernel's arguments.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"
#include "llvm/ADT/SmallVector.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace specmv {

struct Field {
  enum class Kind : uint8_t { argument, hostArray, unused, null };
  Kind kind = Kind::argument;
  Argument argument;
  int64_t count = 0; // elements of an array; a number's value
};

// The lines are in the order of the fields of the template's argument struct.
// Most tables fit a stack frame: a ranking makes a hundred, to count their bytes.
using Fields = llvm::SmallVector<Field, 24>;

// A stored array that kernels only read. `stored` is its name in the layout, if that differs.
Field array(const char *name, ElementType type, int64_t count, const char *stored = "");
// Working memory of the kernels, set to zero once.
Field scratch(const char *name, ElementType type, int64_t count);
// A number that is passed by value.
Field number(const char *name, ElementType type, int64_t value, const char *stored = "");
// An array that stays on the host, for a detour (steps.h).
Field hostArray(const char *name, ElementType type, int64_t count);

// Only general kernels (Format::general) take this field as an argument. The layout always has it.
Field ifGeneral(bool isGeneral, Field field);

// A pointer that a kernel does not follow if `isUsed` is false; it is then passed as null.
Field pointerIf(bool isUsed, Field field);

// The array of a layout with Order::rowAt (generator/order/order.h).
constexpr const char *kOrderRowAt = "orderRowAt";

// The arguments that every product has: x, y, alpha and beta. addedVectors() is for kernels that
// add to y, which need no beta.
Fields vectors(const Problem &problem);
Fields addedVectors(const Problem &problem);
Field fieldOfX(const Problem &problem);

// The lists one after another.
Fields joined(std::initializer_list<Fields> lists);

// The bytes of all stored arrays. An array that is listed twice (by two kernels) counts once, with
// the larger of the two sizes.
int64_t storedBytesOf(const Fields &fields);

// The arrays of a layout on the host need more memory than there is.
struct TooLargeForHost : std::bad_alloc {
  explicit TooLargeForHost(int64_t needed) : bytes(needed) {}
  int64_t bytes;
};

// Adds the arrays, working memory and numbers of the table to the layout, each once. Throws
// TooLargeForHost, of which Format::layout() makes an error.
void addFields(Layout &layout, const Fields &fields);

// The kernel's parameters: all lines but those of the host, and those that it has no use for.
std::vector<Argument> argumentsOf(const Fields &fields);

} // namespace specmv
