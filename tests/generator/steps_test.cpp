// Tests of the steps of every format: they name arrays of the layout, streams wait for each other
// through events, and the caller's stream ends after all of them.
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

bool isIn(const std::vector<LayoutArray> &list, const std::string &name) {
  return std::any_of(list.begin(), list.end(), [&](auto &a) { return a.name == name; });
}

std::string wrongIn(const Copy &copy, const Layout &layout) {
  if (!isIn(layout.scratch, copy.device) || !isIn(layout.hostScratch, copy.host))
    return "copies between " + copy.device + " and " + copy.host + ", which are no scratch";
  if (layout.find(copy.device)->bytes.size() != layout.find(copy.host)->bytes.size())
    return copy.device + " and " + copy.host + " differ in size";
  return "";
}

std::string wrongIn(const HostFunction &function, const Layout &layout) {
  if (!function.call || function.name.empty())
    return "a host function without a name or address";
  for (const std::string &name : function.arguments)
    if (!isIn(layout.hostArrays, name) && !isIn(layout.hostScratch, name))
      return function.name + " wants " + name;
  return "";
}

std::string wrongIn(const Launch &launch, const Layout &layout) {
  for (const Argument &argument : launch.arguments)
    if ((argument.binding == Binding::array && !isIn(layout.arrays, argument.layoutName())) ||
        (argument.binding == Binding::scratch && !isIn(layout.scratch, argument.layoutName())))
      return launch.kernel + " wants " + argument.layoutName();
  return "";
}

std::string wrongIn(const LibraryCall &call, const Layout & /*layout*/) {
  return call.routine.empty() ? "a library call without a routine" : "";
}

// For each step, tells whether it is done when the last step of the caller's stream is.
std::vector<bool> behindTheLast(const Steps &steps) {
  std::vector<bool> out(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    bool isBehind = steps[i].stream == StepStream::user;
    for (size_t j = i + 1; j < steps.size(); ++j) {
      const auto &after = steps[j].after;
      const bool follows = steps[j].stream == steps[i].stream ||
                           std::find(after.begin(), after.end(), i) != after.end();
      isBehind = isBehind || (out[j] && follows);
    }
    out[i] = isBehind;
  }
  return out;
}

// Returns the first fault in the order of the steps, or "".
std::string wrongOrder(const Steps &steps) {
  bool sideBegan = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t before : steps[i].after)
      if (before >= i || steps[before].stream == steps[i].stream)
        return "step " + std::to_string(i) + " waits for step " + std::to_string(before);
    if (steps[i].stream == StepStream::side && !sideBegan && steps[i].after.empty())
      return "the side stream begins before the caller's";
    sideBegan = sideBegan || steps[i].stream == StepStream::side;
  }
  const std::vector<bool> behind = behindTheLast(steps);
  const auto loose = std::find(behind.begin(), behind.end(), false);
  return loose == behind.end() ? ""
                               : "nothing waits for step " + std::to_string(loose - behind.begin());
}

bool hasBinding(const Launch &launch, Binding binding) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [&](const Argument &a) { return a.binding == binding; });
}

// Returns the first step whose part in y is not what its arguments or its place say, or "".
std::string wrongOnY(const Steps &steps) {
  int stores = 0;
  for (const Step &step : steps)
    if (const auto *launch = std::get_if<Launch>(&step.action)) {
      if (hasBinding(*launch, Binding::y) != (launch->onY != OnY::nothing))
        return launch->kernel + " does not do what it says to y";
      if (hasBinding(*launch, Binding::beta) != (launch->onY == OnY::stores))
        return launch->kernel + " must take beta if it stores y, and only then";
      if (launch->onY == OnY::adds && stores == 0)
        return launch->kernel + " adds to y before y is stored";
      stores += launch->onY == OnY::stores;
    }
  return stores > 1 ? "several launches store y" : "";
}

} // namespace

TEST_CASE("steps name what the layout has, and the caller's stream holds all of them") {
  for (const CsrMatrix &a : edgeMatrices())
    for (const auto &[format, plan] : plansOf(a.view(), {})) {
      const std::string planText = plan.text();
      CAPTURE(a.name);
      CAPTURE(planText);
      const Valued valued(a.view(), ValueType::f64, 1);
      const Layout layout = llvm::cantFail(format->layout(valued.view(), plan, {}));
      const Steps steps = format->steps(plan, {}, layout);
      CHECK((a.rows == 0 || !steps.empty()));
      CHECK(wrongOrder(steps) == "");
      CHECK(wrongOnY(steps) == "");
      for (const Step &step : steps)
        CHECK(std::visit([&](const auto &action) { return wrongIn(action, layout); },
                         step.action) == "");
    }
}

TEST_CASE("the check of the order finds what is wrong with one") {
  const Step user{LibraryCall{"a"}}, side{LibraryCall{"b"}, StepStream::side, {0}},
      join{LibraryCall{"c"}, StepStream::user, {1}};
  CHECK(wrongOrder({user, side, join}) == "");
  CHECK(wrongOrder({}) == "");
  CHECK(wrongOrder({user, side}) != "");                                       // never joined
  CHECK(wrongOrder({user, {side.action, StepStream::side}, join}) != "");      // begins on its own
  CHECK(wrongOrder({user, side, {join.action, StepStream::user, {0}}}) != ""); // its own stream
  CHECK(wrongOrder({user, {side.action, StepStream::side, {2}}, join}) != ""); // a later step
  CHECK(wrongOrder({user, side, side, join}) != "");                           // joined too early
}

TEST_CASE("the check of who stores y finds what is wrong") {
  const Argument y{"y", Binding::y, ElementType::f64},
      beta{"beta", Binding::beta, ElementType::f64};
  const Launch stores{.kernel = "a", .arguments = {y, beta}},
      adds{.kernel = "b", .arguments = {y}, .onY = OnY::adds},
      reads{.kernel = "c", .arguments = {}, .onY = OnY::nothing};
  CHECK(wrongOnY({Step{reads}, Step{stores}, Step{adds}, Step{adds}}) == "");
  CHECK(wrongOnY({Step{adds}, Step{stores}}) != "");
  CHECK(wrongOnY({Step{stores}, Step{stores}}) != "");
  Launch lies = adds;
  lies.onY = OnY::stores;
  CHECK(wrongOnY({Step{lies}}) != "");
  lies.onY = OnY::nothing;
  CHECK(wrongOnY({Step{stores}, Step{lies}}) != "");
}
