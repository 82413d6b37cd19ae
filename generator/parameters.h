// The parameters of a format: one table says which numbers its plans have, the range of each, which
// of them the caller may fix, and which values tests try. All checks of numbers use this table.
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

// Numbers that the caller fixed (--set ell.width=27); plans() offers only plans with these values.
using Fixed = std::vector<std::pair<std::string, double>>;

// The number that the caller fixed; `otherwise` if there is none.
int64_t fixedOr(const Fixed &fixed, IntegerKey key, int64_t otherwise);
bool isFixed(const Fixed &fixed, std::string_view name);

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
  // The range of an integer. A real must be `least` or more.
  int64_t least = 0, most = 0;
  bool isPowerOfTwo = false;
  bool isSettable = false; // by --set; other parameters follow from the matrix and other numbers
  bool isReal = false;
  bool isOptional = false; // plans may lack it, which is the same as 0
  // A plan whose number is not 0 adds in an order that differs from run to run: such plans are
  // offered only if the caller fixes the number.
  bool reorders = false;
  bool isList = false; // plans for the general kernels lack it, and only packing checks its numbers
  Tried tried = {};
  // If `where` is given, only plans whose number of that name is `is` have this parameter. Two
  // lines with one name and different conditions give it two ranges.
  const char *where = nullptr;
  int64_t is = 0;
};

// The numbers that plans of all formats have: the threads of a block, and the bits of the index
// types (index_types.h).
namespace key {
inline constexpr IntegerKey kBlock{"block"}, kOffset{"offset"}, kColumn{"column"};
} // namespace key

// Threads of a block if a format has no reason for another number: eight blocks of 8 warps fill an
// SM of 2,048 threads and leave each thread 32 registers.
constexpr int64_t kBlockThreads = 256;
constexpr Parameter kBlockParameter{
    .name = key::kBlock.name, .least = 32, .most = 512, .isPowerOfTwo = true};

// The range of a parameter as text, such as "32..512, a power of two".
std::string rangeText(const Parameter &parameter);

// The settable parameter of that name; nullptr if there is none.
const Parameter *findSettable(llvm::ArrayRef<Parameter> parameters, const std::string &name);

// Says in a sentence that no plan of the format can have one of the fixed numbers, for any matrix;
// "" if some plan can.
std::string whyNotFixed(const Fixed &fixed, llvm::ArrayRef<Parameter> parameters);

// Checks a plan, which may come from a file. Fails with Status::notApplicable if it lacks a number
// of the table, has one that is not in the table, has a name twice, or has a number out of its
// range. The index types of index_types.h are checked too, although no format lists them.
llvm::Error checkPlan(const Plan &plan, llvm::ArrayRef<Parameter> parameters);

} // namespace specmv
