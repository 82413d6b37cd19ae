// Measures what learning costs and how good its choice is. learning_benchmark MATRIX... makes for
// each matrix, a .mtx file or a SPEC, in both types two plans with SPECMV_RIGOR_ONLINE and
// multiplies a hundred times: "ahead" puts all products on the stream at once, "paced" waits after
// every tenth. Each gets a JSON line with the time of the hundred and those of each plan alone,
// from which regret and cost follow, and how many products it took until the learning was over. The
// means follow on standard error. Choices that are kept would spare the learning, so give it an
// empty cache.
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace specmv;
using namespace specmv::bench;

namespace {

constexpr int kProducts = 100, kMostProducts = 2000;

struct Means {
  double regret = 0, cost = 0, worstRegret = 0, worstCost = 0;
  int cases = 0;
};

template <class T> struct Bed {
  CsrView view;
  const std::string &name;
  const GpuDevice &gpu;
  const DeviceVectors &vectors;

  Enqueue product(specmvPlan_t plan) const {
    return [this, plan] { return multiply<T>(plan, vectors); };
  }
};

// Returns what the JSON of a plan says of its learning.
llvm::Expected<llvm::json::Object> learnedBy(specmvPlan_t plan) {
  const char *json = nullptr;
  if (llvm::Error error = apiError(specmvGetPlanJson(plan, &json)))
    return error;
  auto value = llvm::json::parse(json);
  if (!value)
    return value.takeError();
  if (llvm::json::Object *learned = value->getAsObject()->getObject("learning"))
    return std::move(*learned);
  return llvm::json::Object{{"state", "none"}, {"plans", llvm::json::Array()}};
}

// Times a hundred products: all ahead, or waiting after every tenth.
template <class T>
llvm::Expected<double> hundredUs(const Bed<T> &bed, const Enqueue &product, bool isPaced) {
  const int paces = isPaced ? 10 : kProducts;
  double sum = 0;
  for (int done = 0; done < kProducts; done += paces) {
    auto us = timeBatch(bed.gpu, product, paces);
    if (!us)
      return us;
    sum += *us * paces;
  }
  return sum;
}

// A plan alone: microseconds of one product, when it is warm, and of its first hundred as above.
struct Alone {
  double us, hundredUs;
};

template <class T>
llvm::Expected<Alone> alone(const Bed<T> &bed, const std::string &text, bool isPaced) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.planText = text.c_str();
  options.kernels = SPECMV_KERNELS_SPECIALIZED;
  options.betaIsZero = isPaced;
  auto plan = gpuPlan(bed.view, options);
  if (!plan)
    return plan.takeError();
  auto hundred = hundredUs(bed, bed.product(*plan), isPaced);
  auto us = hundred ? measureWarm(bed.gpu, bed.product(*plan)) : hundred.takeError();
  specmvDestroyPlan(*plan);
  if (!us)
    return us.takeError();
  return Alone{*us, *hundred};
}

template <class T> llvm::Error learn(const Bed<T> &bed, bool isPaced, Means &means) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.rigor = SPECMV_RIGOR_ONLINE;
  options.kernels = SPECMV_KERNELS_SPECIALIZED;
  options.betaIsZero = isPaced; // so that the second plan does not know the choice of the first
  const Stopwatch clock;
  auto plan = gpuPlan(bed.view, options);
  if (!plan)
    return plan.takeError();
  const double setupMs = clock.milliseconds();
  const Enqueue product = bed.product(*plan);
  auto hundred = hundredUs(bed, product, isPaced);
  if (!hundred)
    return hundred.takeError();
  const std::string chosen = textOf(*plan);
  auto learned = learnedBy(*plan);
  int products = kProducts;
  for (; learned && learned->getString("state") == llvm::StringRef("running") &&
         products < kMostProducts;
       products += 10) {
    if (auto us = timeBatch(bed.gpu, product, 10); !us)
      return us.takeError();
    learned = learnedBy(*plan);
  }
  if (!learned)
    return learned.takeError();
  const std::string last = textOf(*plan);
  specmvDestroyPlan(*plan);
  double least = 0, leastHundred = 0, own = 0, ownLast = 0;
  llvm::json::Array plans;
  for (const llvm::json::Value &each : *learned->getArray("plans")) {
    const std::string text = each.getAsObject()->getString("text")->str();
    auto its = alone(bed, text, isPaced);
    if (!its)
      return its.takeError();
    plans.push_back(
        llvm::json::Object{{"plan", text}, {"us", its->us}, {"hundredUs", its->hundredUs}});
    least = least == 0 ? its->us : std::min(least, its->us);
    leastHundred = leastHundred == 0 ? its->hundredUs : std::min(leastHundred, its->hundredUs);
    own = text == chosen ? its->us : own;
    ownLast = text == last ? its->us : ownLast;
  }
  llvm::json::Object line{{"matrix", bed.name},
                          {"type", nameOf(bed.view.valueType)},
                          {"mode", isPaced ? "paced" : "ahead"},
                          {"setupMs", setupMs},
                          {"plans", std::move(plans)},
                          {"chosen", chosen},
                          {"hundredUs", *hundred},
                          {"products", products}};
  if (least > 0) {
    line["regret"] = own / least;
    line["lastRegret"] = ownLast / least;
    line["cost"] = *hundred / leastHundred;
    means.regret += std::log(own / least);
    means.cost += std::log(*hundred / leastHundred);
    means.worstRegret = std::max(means.worstRegret, own / least);
    means.worstCost = std::max(means.worstCost, *hundred / leastHundred);
    ++means.cases;
  }
  llvm::outs() << llvm::json::Value(std::move(line)) << "\n";
  llvm::outs().flush();
  return llvm::Error::success();
}

template <class T>
llvm::Error learnBoth(const CsrMatrix &given, const GpuDevice &gpu, Means &ahead, Means &paced) {
  const InType<T> matrix(given);
  const CsrView &view = matrix.view();
  auto vectors = DeviceVectors::make(gpu, given.rows, given.cols, view.valueType);
  if (!vectors)
    return vectors.takeError();
  const Bed<T> bed{view, given.name, gpu, *vectors};
  if (llvm::Error error = learn(bed, false, ahead))
    return error;
  return learn(bed, true, paced);
}

void tell(const char *mode, const Means &means) {
  std::fprintf(
      stderr,
      "%s: %d cases; the choice takes %.4f times the best (worst %.3f), a hundred products "
      "%.4f times (worst %.3f)\n",
      mode, means.cases, std::exp(means.regret / means.cases), means.worstRegret,
      std::exp(means.cost / means.cases), means.worstCost);
}

llvm::Error run(llvm::ArrayRef<std::string> names) {
  Means ahead, paced;
  const auto both = [&](const CsrMatrix &matrix, Machine &machine) -> llvm::Error {
    if (llvm::Error error = learnBoth<float>(matrix, *machine.gpu, ahead, paced))
      return error;
    return learnBoth<double>(matrix, *machine.gpu, ahead, paced);
  };
  if (llvm::Error error = forMatricesOnGpu(names, both))
    return error;
  tell("ahead", ahead);
  tell("paced", paced);
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) { return runOver(argc, argv, run); }
