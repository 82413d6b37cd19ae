// What to do for one product: data that runtime's GpuProduct and the host executor run in order.
#pragma once

#include "generator/layout.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace specmv {

// What a kernel parameter is bound to.
enum class Binding : uint8_t {
  array,   // an array of the layout, by name, read only
  scratch, // a scratch array of the layout, by name
  x,       // cols values
  y,       // rows values
  alpha,   // by value, in the problem's type
  beta,    // by value, in the problem's type
  integer, // by value: a number of the layout, by name, or rows / cols
};

// One parameter of a kernel: its name is the field of the template's argument struct.
struct Argument {
  std::string name;
  Binding binding;
  ElementType type;        // of the element for pointers, of the value otherwise
  std::string source = {}; // the name in the layout, where that differs

  const std::string &layoutName() const { return source.empty() ? name : source; }
};

struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t blockThreads = 0;
  std::vector<Argument> arguments;
  uint32_t sharedBytes = 0; // of the kernel's dynamic shared array
};

// All of a scratch array to or from an array of as many bytes in the layout's host scratch.
struct Copy {
  enum class Direction : uint8_t { toHost, toDevice };
  Direction direction;
  std::string device, host; // names in the layout
};

// An array on the host as a host function gets it.
struct HostArray {
  ElementType type;
  int64_t count;
  std::byte *bytes;

  template <class T> T *as() const { return reinterpret_cast<T *>(bytes); }
};

// A function of the format's own over host arrays and host scratch of the layout. It runs on a
// thread of the driver's, where nobody could be told of a failure: it must not throw or use CUDA.
struct HostFunction {
  std::string name;
  void (*call)(llvm::ArrayRef<HostArray> arguments) noexcept;
  std::vector<std::string> arguments; // names in the layout, in the order that `call` takes them
};

// The whole product by a library, on the layout's arrays and numbers: the routine's name says which
// library, and what it expects of the layout.
struct LibraryCall {
  std::string routine; // "cusparse-csr1"
};

// The caller's stream, and one more where a product overlaps its own parts.
enum class StepStream : uint8_t { user, side };

// Steps of one stream follow one another in the order of the list.
struct Step {
  std::variant<Launch, Copy, HostFunction, LibraryCall> action;
  StepStream stream = StepStream::user;
  std::vector<size_t> after = {}; // earlier steps of the other stream that must be done before
};

// The first step that touches the side stream is after one of the user's, and a step of the user's
// is after the last of the side's, so that the caller's stream holds the whole product.
using Steps = std::vector<Step>;

} // namespace specmv
