// What a storage format must provide so that it can be planned, packed, emitted and launched. All
// that the rest of the library knows of a format goes through this file.
#pragma once

#include "generator/layout.h"
#include "generator/parameters.h"
#include "generator/steps.h"
#include "models/base/digest.h"
#include "models/base/error.h"
#include "models/gpu.h"
#include "models/plan.h"
#include "models/predict/traffic.h"
#include "models/problem.h"
#include "models/profile/profile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

struct ColumnDegrees;
struct InPlace;
struct Order;
struct Packing;
class PaceRates;
struct ValueFacts;
class Workspace;

// CUDA source that needs only the embedded templates to compile.
struct KernelSource {
  KernelSource() = default;
  explicit KernelSource(std::string emitted);

  std::string text; // "" if there is no kernel
  Digest digest = {};
};

// Facts about a matrix beside its profile; null: nobody has found them.
struct KnownFacts {
  const ValueFacts *values = nullptr;
  const Order *order = nullptr;
};

// A result that kept() (shared/kept.h) stores: `what` identifies the function, `number` is its
// argument, and `at` points to the result.
struct KeptValue {
  const void *what;
  int64_t number; // or an address
  std::shared_ptr<const void> at;
};

// The results of one request, of which each plan asks for a dozen.
class KeptValues {
public:
  // Returns null if there is none.
  const void *find(const void *what, int64_t number) const {
    for (size_t i = first_[placeOf(what, number)]; i > 0; i = next_[i - 1])
      if (const KeptValue &value = values_[i - 1]; value.what == what && value.number == number)
        return value.at.get();
    return nullptr;
  }
  void add(KeptValue value) {
    uint16_t &first = first_[placeOf(value.what, value.number)];
    next_.push_back(first);
    values_.push_back(std::move(value));
    first = static_cast<uint16_t>(values_.size());
  }

private:
  static constexpr size_t kPlaces = 64; // most requests keep 30 to 60 values

  static size_t placeOf(const void *what, int64_t number) {
    const auto mixed = reinterpret_cast<uintptr_t>(what) * 5 + static_cast<uint64_t>(number);
    return (mixed ^ mixed >> 6 ^ mixed >> 12) % kPlaces;
  }

  std::array<uint16_t, kPlaces> first_{}; // for each place the number of its first value, from 1
  std::vector<uint16_t> next_;            // for each value the one after it; 0: none
  std::vector<KeptValue> values_;
};

struct PlanRequest {
  const SparsityProfile &profile;
  const Problem &problem;
  const GpuModel &gpu;
  const Fixed &fixed;
  // The coding of the values (generator/coding) for plans of all formats; "" is plain.
  std::string values = {};
  // The order of rows and columns (generator/order) of these plans; the profile is then that of the
  // permuted matrix.
  std::string order = {};
  // These tell how many entries the columns have; null if nobody counted (Format::asksColumns).
  const ColumnDegrees *columns = nullptr;
  // The estimated number of different blocks, for plans with a coding of whole blocks; 0: nobody
  // has sampled blocks, and the tables are taken to be small.
  double differentBlocks = 0;
  // False: why a format has no plan is not read, so that refusal() need not write it.
  bool tellsReasons = true;
  // What kept() has computed for other plans (shared/kept.h). So one request is for one thread, and
  // for a profile and a GPU that do not change.
  mutable KeptValues kept = {};
};

// Why a format has no plan. `sentence` writes it, which takes as long as pricing several plans.
template <class Sentence>
std::string refusal(const PlanRequest &request, const Sentence &sentence) {
  return request.tellsReasons ? std::string(sentence()) : "not told";
}

// Limits the plans of a format that offers many: which of them are kept after pricing.
struct Shortlist {
  size_t most = 0; // 0: all
  // A plan is kept only if, in one of these numbers, it has a value that no faster plan has.
  llvm::ArrayRef<IntegerKey> varied = {};
};

// How a format multiplies several vectors at once (Problem::vectors), with the arrays that it has
// for one. Its source then has these kernels too.
struct Several {
  // "" if the plan's kernel can multiply so many, else why not.
  std::string (*whyNot)(const Plan &, const Problem &);
  Steps (*steps)(const Plan &, const Problem &, const Layout &);
};

// Plans whose kernels the standard pack has, for matrices that nobody knows yet
// (runtime/pregen/standard.h).
struct PlanPattern {
  // The plan's text up to the types of its indices, or with them; {1,4..6} is one of these.
  const char *numbers;
  const char *lists = "";
};

// Says how much of a fused step (generator/fusion) the kernels of a format can do.
enum class Fuses : uint8_t {
  nothing,  // another kernel runs the step
  rows,     // they run the statements in place of storing y
  rowsAndX, // they also compute x wherever they read it
};

struct Format {
  const char *name;
  // Every number of its plans.
  llvm::ArrayRef<Parameter> parameters;
  // Adds every plan worth pricing for this matrix to a list that is empty so far. If it adds none,
  // the sentence returned says why. The numbers that the caller fixed are within their ranges.
  std::string (*offer)(const PlanRequest &, std::vector<Plan> &);
  // What a product by an offered plan moves and does, estimated with the rates of the request's
  // GPU.
  Traffic (*traffic)(const PlanRequest &, const Plan &);
  // Packs the pattern of the matrix for a plan whose numbers are within their ranges, and gives
  // each entry its slot. Fails if the matrix does not have the properties that the plan assumes.
  llvm::Expected<Layout> (*pack)(const CsrView &, const Plan &, const Problem &);
  // The text is empty if no step is a launch; then nothing is compiled.
  KernelSource (*source)(const Plan &, const Problem &);
  Steps (*steps)(const Plan &, const Problem &, const Layout &);
  // What the kernels of a plan spare or balance, as a clause for people: what they need not read,
  // how narrow their columns are, how they share the entries. It holds for the general ones, too.
  std::string (*gist)(const Plan &);

  // The plan whose kernels have as arguments what the given plan has as constants that follow from
  // the matrix (kAsArgument in its place, or no list). They read the arrays that are packed for the
  // given plan and add in the same order, so that products are equal to the bit: one kernel serves
  // all such plans. Such a plan has source and steps, but nothing is packed for it. Null if the
  // numbers of the format's plans follow from no matrix.
  Plan (*general)(const Plan &) = nullptr;
  // True if kernels that are made for a plan gain 2 percent or more over the general ones, as
  // measured (tests/bench/README.md). If not, they are not compiled where the others are at hand.
  bool isWorthCompiling = true;

  // The rates that traffic() reads, beside those that all formats share (shared/rates.h), and the
  // paces of the kernels (shared/walk.h).
  llvm::ArrayRef<Rate> rates = {};
  llvm::ArrayRef<const PaceRates *> paces = {};
  Shortlist shortlist = {};
  // Returns a traffic that takes no more time than traffic() and that is found sooner; nullopt if
  // there is none for the plan. Plans that are slower than a shortlist by it are not priced. Null
  // if there is none for any plan.
  std::optional<Traffic> (*leastTraffic)(const PlanRequest &, const Plan &) = nullptr;
  // standard.cpp tells how these were chosen.
  llvm::ArrayRef<PlanPattern> standard = {};
  // Those for other problems: 2 to 8 vectors, and values in f32 with vectors in f64.
  llvm::ArrayRef<PlanPattern> standardOfOthers = {};

  // Returns true if traffic() needs PlanRequest::columns for a plan. Without them it assumes
  // columns for which the plan takes the least time, so they need not be counted if that is too
  // long. Null if no plan needs them.
  bool (*asksColumns)(const SparsityProfile &, const Plan &) = nullptr;

  // These are promises about products. They do not hold for plans that set a parameter with
  // Parameter::reorders. A format that does not keep them can be measured and asked for by name,
  // but is never chosen otherwise.
  bool isDeterministic = true; // the same bits in every run
  bool mixesTypes = true; // multiplies values in f32 by vectors in f64 (Problem::vectorsAreDouble)
  bool paddingReadsX = false; // so that a NaN in x reaches rows that have no entry there
  Fuses fuses = Fuses::nothing;
  // The library that its one step calls, for users; null for formats with kernels of ours.
  const char *library = nullptr;

  // Packs on a GPU what pack() packs on the host; null if only the host can.
  const Packing *packing = nullptr;
  // Multiplies by the CSR arrays as they lie on a GPU; null if the format needs others.
  const InPlace *inPlace = nullptr;
  // Multiplies several vectors at once; null if the format has only kernels for one.
  const Several *several = nullptr;

  // Adds the plans that offer() makes, for a request whose fixed numbers may be anything.
  std::string plans(const PlanRequest &request, std::vector<Plan> &out) const;
  // Why a plan cannot have kernels for the problem, as for several vectors; "" if it can.
  std::string whyNotFor(const Plan &plan, const Problem &problem) const;
  // Fails with Status::notApplicable if a number of the plan, which may come from anywhere, is out
  // of its range, or if the plan cannot do the problem. A source may be emitted only of a plan that
  // passes. Whether the plan fits a matrix, layout() says.
  llvm::Error check(const Plan &plan, const Problem &problem) const;
  // Packs as pack() does, for a plan that may come from anywhere, and in the order of the plan. The
  // caller passes the facts that it knows; this function finds the others.
  llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem,
                                const KnownFacts &known = {}) const;
  // The same on a GPU. nullopt if this matrix must be packed on the host.
  llvm::Expected<std::optional<Layout>> layoutOn(Workspace &workspace, const Plan &plan,
                                                 const Problem &problem,
                                                 const KnownFacts &known = {}) const;
  // The layout of the CSR arrays as they lie on a GPU, for a plan that passed check(); `inPlace`
  // must not be null.
  llvm::Expected<Layout> layoutInPlace(Workspace &workspace, const Plan &plan,
                                       const Problem &problem) const;
  // Returns the layout without arrays, for a product on the host by the matrix as it is.
  Layout describedInPlace(const MatrixSize &a, const Plan &plan, const Problem &problem) const;
  // Return what source() and steps() return, for a plan that passed check(). If the plan has an
  // order, they include the kernels that permute x and y.
  KernelSource sourceFor(const Plan &plan, const Problem &problem) const;
  Steps stepsFor(const Plan &plan, const Problem &problem, const Layout &layout) const;
  // Returns true if products by the plan have the same bits in every run.
  bool isDeterministicFor(const Plan &plan) const;
  // Returns what of a fused step the kernels of the plan can do: nothing if they permute vectors.
  Fuses fusesFor(const Plan &plan, const Problem &problem) const;
};

// Why a format must not be chosen unless it is asked for by name; "" if it may be.
std::string whyNotByItself(const Format &format);

// All formats, in the order of formats.def.
llvm::ArrayRef<Format> formats();

// The format of that name; nullptr if there is none.
const Format *findFormat(const std::string &name);

// What a format offers: its plans, or the sentence that says why there are none.
struct Offer {
  const Format *format;
  std::vector<Plan> plans;
  std::string why;
  Status whyStatus = Status::notApplicable; // Status::missing if the machine lacks something
};

// Asks one format for its plans.
Offer offerOf(const Format &format, const PlanRequest &request);

// The formats that have one of these parameters: a caller who fixes ell.width wants ELL.
std::vector<std::string> formatsWith(const Fixed &fixed);

// Refuses what is wrong for every matrix: a name that no format has, a parameter that none of the
// named formats has (no name means all formats), and a value that must be an integer and is not.
llvm::Error checkAsked(const std::vector<std::string> &names, const Fixed &fixed);

// Fails if no coding of values has this name.
llvm::Error checkValues(const std::string &values);

// The offers of the named formats (no name means all), in the order of the table. Refuses what
// checkAsked() and checkValues() refuse.
llvm::Expected<std::vector<Offer>> offers(const PlanRequest &request,
                                          const std::vector<std::string> &names);

} // namespace specmv
