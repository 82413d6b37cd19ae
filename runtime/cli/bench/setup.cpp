// Makes contenders that know the number of products or start at once, and writes the lines of bench
// --setup.
#include "runtime/cli/bench/setup.h"

#include "models/base/text.h"
#include "runtime/api/first_products.h"
#include "runtime/api/setup_task.h"
#include "runtime/api/successor.h"
#include "runtime/cli/bench/log.h"
#include "runtime/cli/json.h"
#include "runtime/cli/why.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/measure/temporary_directory.h"
#include "runtime/plan/sources.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::cli {

// --- Setup products ------------------------------------------------------------------------------

// Makes the kernels of the plan that suits the number of products, and sets up as the C API does.

namespace {
// The state that the contenders share.
struct Weighing {
  Machine machine;
  TemporaryDirectory folder = {};
};

// The state of one contender.
struct Weighed {
  std::shared_ptr<Weighing> shared;
  Request request;
  bool hasKernels = false;
};
} // namespace

// Makes the kernels of CSR in place, and of the plan that would be chosen if all kernels were
// loaded.
static llvm::Error makeKernels(const Request &request, const SourceMatrix &a, Machine &machine) {
  for (const Plan &plan : plansAsItIs(a.deviceCsr(), machine))
    if (llvm::Error error = build(a, plan, request.problem, machine).takeError())
      return error;
  Session session(a, request, machine);
  auto profiled = session.profiled();
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(request, (*profiled)->profile, machine, Look::never,
                          {.columns = [&] { return session.columnDegrees(); }});
  if (!ranked)
    return ranked.takeError();
  session.know(std::move(*ranked));
  return choose(session).takeError();
}

static llvm::Error makeKernelsOnce(Weighed &way, const SetupBed &bed) {
  if (way.hasKernels)
    return llvm::Error::success();
  way.hasKernels = true;
  return makeKernels(way.request, bed.source(Side::device), way.shared->machine);
}

static llvm::Expected<MadeProduct> setUpWeighed(const Weighed &way, const SetupBed &bed,
                                                Side side) {
  Machine &machine = way.shared->machine;
  const SetupTask task{.view = bed.source(side).given(),
                       .where = {.target = Target::gpu, .device = machine.gpu->info().ordinal},
                       .request = way.request,
                       .isLent = true};
  auto matrix = sourceOf(task, machine);
  if (!matrix)
    return matrix.takeError();
  auto made = doSetup(task, *matrix, machine);
  if (!made)
    return made.takeError();
  MadeProduct out{.plan = made->text, .storedBytes = made->bytes()};
  const auto products = std::make_shared<const PlanProducts>(std::move(*made));
  out.run = [products](double alpha, DevicePointer x, double beta, DevicePointer y,
                       StreamHandle stream) {
    return products->gpu->run(alpha, x, beta, y, stream);
  };
  return out;
}

static SetupContender contenderFor(int64_t products, const std::shared_ptr<Weighing> &shared,
                                   const Request &request) {
  const auto way = std::make_shared<Weighed>(Weighed{shared, request});
  way->request.expectedProducts = products;
  return {.name = kOwnContender,
          .state = "products",
          .make = [=](const SetupBed &bed, Side side) { return setUpWeighed(*way, bed, side); },
          .before = [=](const SetupBed &bed, Side) { return makeKernelsOnce(*way, bed); },
          .products = products};
}

llvm::Expected<std::vector<SetupContender>> productsContenders(const Machine &machine,
                                                               const Request &request) {
  const std::shared_ptr<Weighing> shared(new Weighing{machine});
  if (llvm::Error error = shared->folder.create())
    return error;
  shared->machine.cache = Cache({}, shared->folder.path.str().str());
  std::vector<SetupContender> out;
  for (const int64_t n : kProductCounts)
    if (n > 1)
      out.push_back(contenderFor(n, shared, request));
  return out;
}

// --- Setup start ---------------------------------------------------------------------------------

// Makes first products, and lets the plan's own products take over as the C API does.

namespace {
struct Started {
  PlanProducts now;
  Successor next;
  std::optional<PlanProducts> first = {}; // kept, since they may still run
};
} // namespace

static llvm::Error multiply(Started &started, double alpha, DevicePointer x, double beta,
                            DevicePointer y, StreamHandle stream) {
  PlanProducts &now = started.now;
  if (started.next.hasEnded())
    if (auto made = started.next.take([&](PlanProducts &own) { own.gpu->takeTurnOf(*now.gpu); }))
      started.first = std::exchange(now, std::move(*made));
  llvm::Error error = now.gpu->run(alpha, x, beta, y, stream);
  started.next.tryToBegin();
  return error;
}

static llvm::Expected<MadeProduct> startAtOnce(Machine &machine, const Request &request,
                                               const SourceMatrix &a) {
  SetupTask task{.view = a.given(),
                 .where = {.target = Target::gpu, .device = machine.gpu->info().ordinal},
                 .request = request,
                 .isLent = false,
                 .cache = machine.cache};
  auto first = firstProducts(task, a, machine);
  if (!first)
    return first.takeError();
  if (!*first)
    return fail(Status::missing, "no product can be launched before the set-up has ended");
  MadeProduct out{.plan = (*first)->text};
  out.storedBytes = (*first)->bytes();
  const std::shared_ptr<Started> started(
      new Started{std::move(**first), Successor(std::move(task), a, machine.gpu)});
  out.run = [started](double alpha, DevicePointer x, double beta, DevicePointer y,
                      StreamHandle stream) {
    return multiply(*started, alpha, x, beta, y, stream);
  };
  return out;
}

// The set-up includes making a handle, while cuSPARSE's contenders find one, so its time is
// reported separately.
static double timeOfHandle(const std::shared_ptr<const GpuDevice> &gpu) {
  const Stopwatch watch;
  const bool isMade = !llvm::errorToBool(makeCusparseHandle(gpu).takeError());
  return isMade ? watch.milliseconds() * 1000 : 0;
}

SetupContender startContender(const Machine &machine, const Request &request) {
  const auto used = std::make_shared<Machine>(machine);
  used->cache = Cache({}, ""); // compiled kernels are not kept
  const auto handleUs = std::make_shared<double>(0);
  return {.name = kOwnContender,
          .state = "now",
          .make = [=](const SetupBed &bed, Side side) -> llvm::Expected<MadeProduct> {
            auto made = startAtOnce(*used, request, bed.source(side));
            if (made)
              made->handleUs = *handleUs;
            return made;
          },
          .before =
              [=](const SetupBed &, Side) {
                used->gpu->forget();
                *handleUs = timeOfHandle(used->gpu);
                used->gpu->forget();
                return llvm::Error::success();
              },
          .once = true};
}

// --- Setup lines ---------------------------------------------------------------------------------

// Writes the lines of bench --setup with the field names of runtime/cli/JSON.md, and its tables for
// people.

namespace json = llvm::json;

std::string wrongOf(const SetupBench &b) {
  const SetupTime *wrong = wrongSetup(b.times);
  return wrong ? llvm::formatv("{0} {1} from the {2}", wrong->contender, wrong->state,
                               nameOf(wrong->from))
                     .str()
               : "";
}

// Returns the fields that all lines of a contender share.
static json::Object contenderJson(const TypedMatrix &a, const SetupBench &b,
                                  const SetupTime &time) {
  json::Object out = headOf(a);
  out["setup"] = true;
  out["contender"] = time.contender;
  out["state"] = time.state;
  out["from"] = nameOf(time.from);
  out["csrBytes"] = b.csrBytes;
  if (!time.why.empty()) {
    out["why"] = json::fixUTF8(time.why);
    out["n"] = time.products > 0 ? json::Value(time.products) : json::Value(nullptr);
    for (const char *figure : {"totalUs", "setupUs"})
      out[figure] = nullptr;
    return out;
  }
  out["plan"] = time.plan;
  out["setupUs"] = time.setupUs;
  out["productUs"] = time.productUs;
  out["storedBytes"] = time.storedBytes;
  if (time.peakBytes > 0)
    out["peakBytes"] = time.peakBytes;
  if (!time.conversionIsCounted)
    out["conversion"] = "not counted";
  if (time.handleUs > 0)
    out["handleUs"] = time.handleUs;
  if (time.parts.total() > 0)
    out["setupMs"] = jsonOf(time.parts);
  out["verified"] = time.verified;
  out["maxErrorRatio"] = std::min(time.maxErrorRatio, 1e300);
  return out;
}

std::string linesOf(const TypedMatrix &a, const SetupBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const SetupTime &time : b.times) {
    json::Object line = contenderJson(a, b, time);
    for (const TotalTime &total : time.totals) {
      line["n"] = total.n;
      line["totalUs"] = total.us;
      line["measured"] = total.measured;
      out << jsonLine("bench", line);
    }
    if (time.totals.empty())
      out << jsonLine("bench", std::move(line));
  }
  return text;
}

static json::Object figureJson(const SetupFigure &figure) {
  json::Array below;
  for (const bool is : figure.isBelow)
    below.push_back(is);
  json::Object out{
      {"state", figure.state},
      {"from", nameOf(figure.from)},
      {"setupUs", figure.setupUs},
      {"productUs", figure.productUs},
      {"ratio", figure.ratio},
      {"breakEven", figure.breakEven ? json::Value(*figure.breakEven) : json::Value(nullptr)},
      {"below", std::move(below)}};
  if (figure.products > 0)
    out["products"] = figure.products, out["overBest"] = figure.overBest;
  return out;
}

static SetupFigure figureIn(const json::Object &line) {
  const auto number = [&](const char *key) { return line.getNumber(key).value_or(0); };
  SetupFigure out{.state = line.getString("state").value_or("").str(),
                  .from =
                      line.getString("from") == llvm::StringRef("host") ? Side::host : Side::device,
                  .products = line.getInteger("products").value_or(0),
                  .setupUs = number("setupUs"),
                  .productUs = number("productUs"),
                  .ratio = number("ratio"),
                  .overBest = number("overBest")};
  if (const auto breakEven = line.getNumber("breakEven"))
    out.breakEven = *breakEven;
  if (const json::Array *below = line.getArray("below"))
    for (const json::Value &is : *below)
      out.isBelow.push_back(is.getAsBoolean().value_or(false));
  return out;
}

std::vector<SetupFigure> figuresIn(const json::Object &summary) {
  std::vector<SetupFigure> out;
  if (const json::Array *figures = summary.getArray("figures"))
    for (const json::Value &figure : *figures)
      if (const json::Object *object = figure.getAsObject())
        out.push_back(figureIn(*object));
  return out;
}

json::Object summaryOf(const TypedMatrix &a, const SetupBench &b) {
  json::Object out = headOf(a);
  out["summary"] = true;
  out["setup"] = true;
  out["verified"] = wrongSetup(b.times) == nullptr;
  out["csrBytes"] = b.csrBytes;
  json::Array figures;
  for (const SetupFigure &figure : figuresOf(b.times))
    figures.push_back(figureJson(figure));
  out["figures"] = std::move(figures);
  return out;
}

// Puts the totals into the columns of their numbers; blanks where there is none.
static std::string totalsText(const SetupTime &time) {
  std::string text;
  for (const int64_t n : kProductCounts) {
    const auto total =
        llvm::find_if(time.totals, [&](const TotalTime &each) { return each.n == n; });
    text +=
        total == time.totals.end()
            ? std::string(11, ' ')
            : llvm::formatv(" {0,9:f3}{1}", total->us / 1000, total->measured ? " " : "~").str();
  }
  return text;
}

// Returns the comparison for the row of a set-up that knew the number of products.
static std::string overBestText(const SetupTime &time, llvm::ArrayRef<SetupFigure> figures) {
  for (const SetupFigure &figure : figures)
    if (figure.overBest > 0 && figure.products == time.products && figure.from == time.from)
      return llvm::formatv("  ({0:f2} times cuSPARSE's best)", figure.overBest);
  return "";
}

static std::string rowOf(const SetupTime &time, llvm::ArrayRef<SetupFigure> figures) {
  std::string text = llvm::formatv("    {0,-14} {1,-9}", time.contender, time.state);
  llvm::raw_string_ostream out(text);
  if (!time.why.empty()) {
    out << llvm::formatv(" {0,9}  {1}\n", "-", time.why);
    return text;
  }
  out << llvm::formatv(" {0,9:f3}{1} {2,12}  {3}{4}{5}{6}\n", time.setupUs / 1000, totalsText(time),
                       shortTime(time.productUs), planText(time.plan),
                       time.conversionIsCounted ? "" : "  (conversion not counted)",
                       overBestText(time, figures), time.verified ? "" : "  WRONG");
  return text;
}

std::string tableOf(const TypedMatrix &a, const SetupBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0} {1}: {2} x {3}, {4} entries, {5} in CSR\n", a.matrix.name,
                       nameOf(a.view.valueType), a.matrix.rows, a.matrix.cols, a.matrix.nnz(),
                       shortBytes(static_cast<double>(b.csrBytes)));
  const std::vector<SetupFigure> figures = figuresOf(b.times);
  for (const Side side : {Side::device, Side::host}) {
    if (llvm::none_of(b.times, [&](const SetupTime &time) { return time.from == side; }))
      continue;
    out << llvm::formatv("  from the {0}, milliseconds to the last of n products (~: continued by "
                         "the time of one)\n    {1,-14} {2,-9} {3,9}",
                         nameOf(side), "contender", "state", "set-up");
    for (const int64_t n : kProductCounts)
      out << llvm::formatv(" {0,9} ", n);
    out << llvm::formatv(" {0,12}\n", "one product");
    for (const SetupTime &time : b.times)
      if (time.from == side)
        out << rowOf(time, figures);
  }
  return text;
}

} // namespace specmv::cli
