// The parameters of a format: one table says which numbers its plans have, what each may be, which
// of them the caller may fix and which values tests try. Whatever looks at numbers reads this
// table.
#pragma once

#include "models/plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Numbers that the caller fixed (--set ell.width=27); plans() offers only plans that agree.
using Fixed = std::vector<std::pair<std::string, double>>;

// A number that the caller fixed for `name`, else `otherwise`.
int64_t fixedOr(const Fixed &fixed, const char *name, int64_t otherwise);
bool isFixed(const Fixed &fixed, const char *name);

// Values of a parameter that tests fix it to, up to six.
class Tried {
public:
  template <class... Values>
  constexpr Tried(Values... values) // NOLINT(google-explicit-constructor): a list in a table
      : values_{static_cast<double>(values)...}, count_(sizeof...(values)) {}
  const double *begin() const { return values_.data(); }
  const double *end() const { return values_.data() + count_; }

private:
  std::array<double, 6> values_;
  size_t count_;
};

struct Parameter {
  const char *name;
  // What an integer may be. A real is `least` or more.
  int64_t least = 0, most = 0;
  bool isPowerOfTwo = false;
  bool isSettable = false; // by --set; else it follows from the matrix and other numbers
  bool isReal = false;
  Tried tried = {};
  // Only plans whose number `where` is `is` have this one. Two lines of a name with different
  // conditions give it two ranges.
  const char *where = nullptr;
  int64_t is = 0;
};

// Threads of a block where a format has no reason for another number: 8 warps fill an SM in eight
// blocks and leave each thread 32 registers.
constexpr int64_t kBlockThreads = 256;
constexpr Parameter kBlockParameter{
    .name = "block", .least = 32, .most = 512, .isPowerOfTwo = true};

// "32..512, a power of two": what the parameter may be.
std::string rangeText(const Parameter &parameter);

// The settable parameter of that name; nullptr if there is none.
const Parameter *findSettable(llvm::ArrayRef<Parameter> parameters, const std::string &name);

// The sentence that says which fixed number no plan of the format can have, whatever the matrix, or
// "".
std::string whyNotFixed(const Fixed &fixed, llvm::ArrayRef<Parameter> parameters);

// A plan can come from a file: fails with Status::notApplicable where it lacks a number of the
// table, has one that the table lacks, or has one out of its range. Index types are every format's.
llvm::Error checkPlan(const Plan &plan, llvm::ArrayRef<Parameter> parameters);

} // namespace specmv
