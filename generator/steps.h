// The steps of one product, as data: GpuProduct (runtime) and the tests' host executor run them in
// order.
#pragma once

#include "generator/layout.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace specmv {

// What a kernel parameter gets.
enum class Binding : uint8_t {
  array,    // an array of the layout, by name, read only
  scratch,  // a scratch array of the layout, by name
  x,        // cols values
  y,        // rows values; with Problem::resultIsApart, z
  added,    // rows values, read only: y where z is another vector
  alpha,    // by value, in the type of x and y
  beta,     // by value, in the type of x and y
  integer,  // by value: a number of the layout, by name, or rows / cols; a real by its bits
  l2Policy, // by value: what L2 does with lines of the arrays (shared/load.cuh)
  // Of products with several vectors, by value, but for the first.
  rowsOfX, // working memory: cols rows of X, one behind the other
  cols,
  strideX, // value j of row i of X is x[i strideX + j stepX]
  stepX,
  strideY,
  stepY,
  count, // of vectors
  // A fused step has vectors, scalars and sums of the caller, by Argument::index.
  vectorIn,
  vectorOut, // written, and maybe read
  scalar,    // by value
  scalarAt,  // in GPU memory
  sum,       // one value, which the kernel stores
};

// Whether a parameter is a pointer, and whether the kernel writes to what it points to.
constexpr bool isWritten(Binding binding) {
  return binding == Binding::y || binding == Binding::scratch || binding == Binding::rowsOfX ||
         binding == Binding::vectorOut || binding == Binding::sum;
}
constexpr bool isPointer(Binding binding) {
  return isWritten(binding) || binding == Binding::array || binding == Binding::x ||
         binding == Binding::added || binding == Binding::vectorIn || binding == Binding::scalarAt;
}

// One parameter of a kernel. The names are literals of the source, so that tables of arguments,
// which each prediction makes, copy fast.
struct Argument {
  const char *name;
  Binding binding;
  ElementType type;        // of the element for pointers, of the value otherwise
  const char *source = ""; // the name in the layout, if that differs
  // The field of the template's argument struct, if the name differs. The parameters of one field
  // are its members, in their order; those of "y.step" are members of the first member of y.
  const char *field = "";
  uint8_t index = 0; // of a vector, scalar or sum of a fused step

  std::string layoutName() const { return *source ? source : name; }
};

// A step's use of y.
enum class OnY : uint8_t {
  stores, // y = alpha A x + beta y for all rows, with the entries that the step multiplies, or runs
          // a fused step for them
  adds,   // y = y + alpha A x for some rows
  nothing, // neither reads nor writes y
};

// The kernel is launched early, before the work in front of it has ended, and waits for that
// (Kernel::beginsEarly in emit.h).
struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t blockThreads = 0;
  std::vector<Argument> arguments;
  uint32_t sharedBytes = 0; // size of the kernel's dynamic shared array
  OnY onY = OnY::stores;
  // True if an SM is to have no more shared memory than the kernel's blocks fill. By itself the
  // driver takes about twice that from L1, where kernels without hot columns in shared memory find
  // x. On an H200 that costs csr5 and csr-merge up to 12 percent of their time on skewed graphs.
  // It is false for products of two kernels, which lose 0.3 us and more by changes of the division.
  bool leavesL1 = false;
};

// An array on the host, as a function of a format sees it.
struct HostArray {
  ElementType type;
  int64_t count;
  std::byte *bytes;

  template <class T> T *as() const { return reinterpret_cast<T *>(bytes); }
};

// Takes a scratch array to the host and brings another one back, while the GPU goes on with the
// next steps: `from` is copied to the host, the function computes `to` from it, and `to` is copied
// to the GPU. The function runs on a thread of the CUDA driver, where a failure cannot be reported:
// it must not throw or call CUDA.
struct HostDetour {
  std::string function; // its name, for people
  void (*call)(const HostArray &table, const HostArray &from, const HostArray &to) noexcept;
  std::string table;    // an array of the layout that stays on the host
  std::string from, to; // scratch arrays of the layout
};

// The whole product, done by a library on the layout's arrays and numbers. The routine's name says
// which library and which of its algorithms, and so which arrays the layout must have.
struct LibraryCall {
  std::string routine; // "cusparse-csr1"
};

struct Step {
  std::variant<Launch, HostDetour, LibraryCall> action;
  // Whether the step needs what the detour in front of it brings back.
  bool waitsForHost = false;
};

// Steps follow one another in the order of the list. Invariant: a product has at most one detour
// over the host, and a later step waits for it, so that the caller's stream ends after it. One step
// stores y, and all steps that add to y follow it.
using Steps = std::vector<Step>;

} // namespace specmv
