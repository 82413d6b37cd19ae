// Tests of the steps of every format: they name arrays of the layout, the caller's stream ends
// after a detour over the host, and one launch stores y.
#include "generator/order/order.h"
#include "generator/rank.h"
#include "models/base/error.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

bool isIn(const std::vector<LayoutArray> &list, const std::string &name) {
  return std::any_of(list.begin(), list.end(), [&](auto &a) { return a.name == name; });
}

std::string wrongIn(const HostDetour &detour, const Layout &layout) {
  if (!detour.call || detour.function.empty())
    return "a detour without a function or its name";
  if (!isIn(layout.arrays, detour.table) || !layout.find(detour.table)->staysOnHost)
    return detour.function + " wants " + detour.table + " on the host";
  if (!isIn(layout.scratch, detour.from) || !isIn(layout.scratch, detour.to))
    return detour.function + " copies " + detour.from + " or " + detour.to +
           ", which is no scratch";
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

// Returns the first fault in the order of the steps, or "".
std::string wrongOrder(const Steps &steps) {
  int detours = 0;
  bool isOpen = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].waitsForHost && detours == 0)
      return "step " + std::to_string(i) + " waits for a detour that has not begun";
    isOpen = isOpen && !steps[i].waitsForHost;
    if (std::holds_alternative<HostDetour>(steps[i].action)) {
      ++detours;
      isOpen = true;
    }
  }
  if (detours > 1)
    return "there is more than one detour";
  return isOpen ? "nothing waits for the detour" : "";
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

TEST_CASE("steps name what the layout has, and the caller's stream waits for all of them") {
  for (const CsrMatrix &a : edgeMatrices())
    for (const auto &[format, plan] : plansOf(a.view(), {})) {
      const std::string planText = plan.text();
      CAPTURE(a.name);
      CAPTURE(planText);
      const Valued valued(a.view(), ValueType::f64, 1);
      const Layout layout = llvm::cantFail(format->layout(valued.view(), plan, {}));
      const Steps steps = format->steps(plan, {}, layout);
      CHECK((a.rows == 0 || !steps.empty()));
      CHECK(layout.vectorElements == a.rows + a.cols);
      CHECK(wrongOrder(steps) == "");
      CHECK(wrongOnY(steps) == "");
      for (const Step &step : steps)
        CHECK(std::visit([&](const auto &action) { return wrongIn(action, layout); },
                         step.action) == "");
    }
}

TEST_CASE("plans are priced with the vectors beside which L2 keeps their arrays") {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h100"));
  const Fixed none;
  for (const CsrMatrix &a : edgeMatrices())
    for (const int vectors : {1, 4}) {
      const Problem problem{.vectors = vectors};
      const SparsityProfile seen = profile(a.view());
      const PlanRequest request{seen, problem, gpu, none};
      for (auto &[format, plan] : plansOf(a.view(), problem))
        for (const char *order : {"", kBreadthFirst}) {
          if (a.rows == 0 || format->library || (*order && vectors > 1))
            continue;
          plan.order = order;
          const Traffic traffic = priced({format, {plan}, ""}, request).front().traffic;
          const std::string planText = plan.text();
          CAPTURE(planText);
          CHECK(traffic.vectorBytes == (a.rows + a.cols) * vectors * 8);
        }
    }
}

TEST_CASE("the check of the order finds what is wrong with one") {
  const Step call{LibraryCall{"a"}}, detour{HostDetour{}}, join{LibraryCall{"b"}, true};
  CHECK(wrongOrder({call, detour, call, join}) == "");
  CHECK(wrongOrder({call}) == "");
  CHECK(wrongOrder({}) == "");
  CHECK(wrongOrder({call, detour}) != "");               // never joined
  CHECK(wrongOrder({call, join, detour}) != "");         // joined before it begins
  CHECK(wrongOrder({detour, join, detour, join}) != ""); // two
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
