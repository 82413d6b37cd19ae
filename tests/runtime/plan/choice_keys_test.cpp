// Tests that each field of a request and of a machine on which a choice depends is in its key. A
// field that is added breaks the compilation of these tests until its row is added too.
#include "runtime/plan/recall.h"

#include "generator/order/order.h"
#include "tests/runtime/host_machine.h"

#include <functional>
#include <set>
#include <tuple>

using namespace specmv;
using namespace specmv::testing;

namespace {

template <class T> struct Change {
  const char *field;
  void (*make)(T &);
  bool isInKey = true;
};

// A number of products is given, without which the set-up is not weighed.
Request weighing() {
  Request request;
  request.expectedProducts = 1000;
  return request;
}

std::string choiceKeyOf(const Request &request, const Machine &machine = hostMachine(""),
                        const ValueFacts *facts = nullptr) {
  return choiceKey(request, "a pattern", machine, facts).id;
}

// Checks that the changes that are in the key lead to as many keys, and the others to the first.
template <class T>
void checkKeys(const T &first, llvm::ArrayRef<Change<T>> changes,
               const std::function<std::string(const T &)> &key) {
  std::set<std::string> keys{key(first)};
  for (const Change<T> &change : changes) {
    CAPTURE(change.field);
    T changed = first;
    change.make(changed);
    if (change.isInKey)
      CHECK(keys.insert(key(changed)).second);
    else
      CHECK(key(changed) == key(first));
  }
}

} // namespace

TEST_CASE("a choice's key has the fields of a request on which it depends") {
  // Wisdom tells how a choice was made, so the rigor is not in its key. What prescribes formats,
  // numbers or bytes is never remembered, and a given plan or that of a structure is no choice.
  constexpr bool kNotInKey = false;
  const Change<Request> changes[] = {
      {"problem", [](Request &r) { r.problem.type = ValueType::f32; }},
      {"rigor", [](Request &r) { r.rigor = Rigor::trial; }, kNotInKey},
      {"formats", [](Request &r) { r.formats = {"ell"}; }, kNotInKey},
      {"fixed",
       [](Request &r) {
         r.fixed = {{"ell.width", 3}};
       },
       kNotInKey},
      {"values", [](Request &r) { r.values = "ones"; }},
      {"mayCode", [](Request &r) { r.mayCode = true; }},
      {"order", [](Request &r) { r.order = kBreadthFirst; }},
      {"mayOrder", [](Request &r) { r.mayOrder = true; }},
      {"expectedProducts", [](Request &r) { r.expectedProducts = 10'000; }},
      {"maxBytes", [](Request &r) { r.maxBytes = 1; }, kNotInKey},
      {"csrIsLent", [](Request &r) { r.csrIsLent = true; }},
      {"takesNewValues", [](Request &r) { r.takesNewValues = true; }, kNotInKey}, // if not mayCode
      {"vectors", [](Request &r) { r.vectors = 17; }, kNotInKey}, // problem.vectors is
      {"plan", [](Request &r) { r.plan = Plan(); }, kNotInKey},
      {"like", [](Request &r) { r.like = LikePlan(); }, kNotInKey},
      {"mayOmitProfile", [](Request &r) { r.mayOmitProfile = true; }, kNotInKey}};
  const Request first = weighing();
  const auto &[problem, rigor, formats, fixed, values, mayCode, order, mayOrder, expectedProducts,
               maxBytes, csrIsLent, takesNewValues, vectors, plan, like, mayOmitProfile] = first;
  const auto fields =
      std::tie(problem, rigor, formats, fixed, values, mayCode, order, mayOrder, expectedProducts,
               maxBytes, csrIsLent, takesNewValues, vectors, plan, like, mayOmitProfile);
  static_assert(std::size(changes) == std::tuple_size_v<decltype(fields)>);
  checkKeys<Request>(first, changes, [](const Request &r) { return choiceKeyOf(r); });
  // Numbers within a power of ten share a choice, which is then weighed again.
  Request more = first;
  more.expectedProducts = 9'999;
  CHECK(choiceKeyOf(more) == choiceKeyOf(first));
  // Values that change are stored as they are.
  Request coded = first, updatable = first;
  coded.mayCode = updatable.mayCode = true;
  updatable.takesNewValues = true;
  CHECK(choiceKeyOf(coded) != choiceKeyOf(updatable));
  CHECK(choiceKeyOf(updatable) == choiceKeyOf(first));
  // Nothing is weighed without a number of products, and by requests that measure.
  for (void (*change)(Request &) : {+[](Request &r) { r.expectedProducts = 0; },
                                    +[](Request &r) { r.rigor = Rigor::measure; }}) {
    Request own = first, lent = first;
    change(own), change(lent);
    lent.csrIsLent = true;
    CHECK(choiceKeyOf(own) == choiceKeyOf(lent));
    CHECK(choiceKeyOf(own) != choiceKeyOf(first));
  }
}

TEST_CASE("a choice's key has the fields of a problem") {
  constexpr bool kNotInKey = false;
  const Change<Problem> changes[] = {
      {"type", [](Problem &p) { p.type = ValueType::f32; }},
      {"betaCanBeNonZero", [](Problem &p) { p.betaCanBeNonZero = false; }},
      {"vectors", [](Problem &p) { p.vectors = 8; }},
      {"scalarsAreOnGpu", [](Problem &p) { p.scalarsAreOnGpu = true; }},
      {"resultIsApart", [](Problem &p) { p.resultIsApart = false; }, kNotInKey}, // all are apart
      {"vectorsAreDouble", [](Problem &p) { p.vectorsAreDouble = true; }},
      {"vectorsAreOrdered", [](Problem &p) { p.vectorsAreOrdered = true; }},
      {"resultIsPlaced", [](Problem &p) { p.resultIsPlaced = true; }, kNotInKey}, // nobody asks
      {"isFused", [](Problem &p) { p.isFused = true; }},
      {"fusion", [](Problem &p) { p.fusion = nullptr; }, kNotInKey}}; // a choice has none
  const Problem first;
  const auto &[type, beta, vectors, scalars, apart, isDouble, ordered, placed, fused, fusion] =
      first;
  const auto fields =
      std::tie(type, beta, vectors, scalars, apart, isDouble, ordered, placed, fused, fusion);
  static_assert(std::size(changes) == std::tuple_size_v<decltype(fields)>);
  checkKeys<Problem>(first, changes, [](const Problem &problem) {
    Request request;
    request.problem = problem;
    return choiceKeyOf(request);
  });
}

TEST_CASE("a choice's key has the GPU and its rates, and the codings that values fit") {
  const Change<Machine> changes[] = {{"arch", [](Machine &m) { m.arch = "sm_80"; }},
                                     {"name",
                                      [](Machine &m) {
                                        GpuModel other = m.model;
                                        other.name = "other";
                                        m.model = std::move(other);
                                      }},
                                     {"rates", [](Machine &m) {
                                        GpuModel slower = m.model;
                                        slower.dramGBs /= 2;
                                        m.model = std::move(slower);
                                      }}};
  checkKeys<Machine>(hostMachine(""), changes, [](const Machine &m) { return choiceKeyOf({}, m); });
  const double equal[] = {3, 3}, exact[] = {1, 3}, none[] = {0.1, 0.3};
  const int32_t rowPtr[] = {0, 2}, col[] = {0, 1};
  std::set<std::string> keys{choiceKeyOf({})};
  for (const double *values : {equal, exact, none}) {
    const ValueFacts facts =
        valueFacts({1, 2, 2, IndexType::i32, ValueType::f64, rowPtr, col, values}, std::nullopt);
    CHECK(keys.insert(choiceKeyOf({}, hostMachine(""), &facts)).second);
  }
}
