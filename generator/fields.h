// What the kernels of a format take and what the host keeps for them, one line each: the table from
// which the bytes that a prediction counts, the arrays of the layout and the kernel's arguments are
// made.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace specmv {

struct Field {
  enum class Kind : uint8_t { argument, hostArray, hostScratch };
  Kind kind = Kind::argument;
  Argument argument;
  int64_t count = 0; // elements of an array; a number's value
};

// In the order of the fields of a template's argument struct.
using Fields = std::vector<Field>;

// An array that is stored and read only. `stored` is its name in the layout, where that differs.
Field array(const char *name, ElementType type, int64_t count, const char *stored = "");
// Working memory of the kernels, zeroed once.
Field scratch(const char *name, ElementType type, int64_t count);
// A number that is passed by value.
Field number(const char *name, ElementType type, int64_t value, const char *stored = "");
// What stays on the host: arrays that host functions read, and working memory of theirs.
Field hostArray(const char *name, ElementType type, int64_t count);
Field hostScratch(const char *name, ElementType type, int64_t count);

// The arguments that every product has: x, y, alpha and beta; of kernels that add to y, all but
// beta.
Fields vectors(ElementType value);
Fields addedVectors(ElementType value);
Field vectorX(ElementType value);

// The lists one after another.
Fields joined(std::initializer_list<Fields> lists);

// The bytes of all arrays: what a product of the plan stores. An array of two tables counts once,
// as long as the longer of the two.
int64_t storedBytesOf(const Fields &fields);

// Gives the layout the arrays, working memory and numbers of the table, each once.
void addFields(Layout &layout, const Fields &fields);

// The parameters of the kernel.
std::vector<Argument> argumentsOf(const Fields &fields);

} // namespace specmv
