// Parses the command line with LLVM's cl, each verb a subcommand.
#include "runtime/cli/options.h"

#include "models/base/text.h"
#include "runtime/cli/call.h"
#include "runtime/cli/option_values.h"
#include "runtime/cli/registered.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/plan/sources.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

// Turns LLVM's message on a bad call, "specmv: Unknown ... Try ...", into one sentence in our
// style.
static std::string sentenceOf(llvm::StringRef message) {
  llvm::StringRef line = message.ltrim().split('\n').first;
  const auto [program, rest] = line.split(": ");
  std::string sentence = (rest.empty() ? line : rest).str();
  if (!sentence.empty() && !llvm::StringRef(sentence).starts_with("for the"))
    sentence[0] = llvm::toLower(sentence[0]);
  return sentence;
}

static llvm::Error parseTypes(const Registered &r, std::vector<ValueType> &types) {
  types = {ValueType::f64};
  if (!r.types.empty())
    types.clear();
  for (const std::string &type : r.types) {
    if (type != "f32" && type != "f64")
      return fail(Status::badCall, "--type '{0}' is not a valid value; use f32 or f64", type);
    const ValueType value = type == "f32" ? ValueType::f32 : ValueType::f64;
    if (!llvm::is_contained(types, value)) // repeating a type changes nothing, as with --format
      types.push_back(value);
  }
  return llvm::Error::success();
}

constexpr OptionChoice<std::optional<Rigor>> kRigors[] = {{"estimate", Rigor::estimate},
                                                          {"trial", Rigor::trial},
                                                          {"measure", Rigor::measure},
                                                          {"exhaustive", Rigor::exhaustive}};
// Limits the vectors of a product: the host checks all of them in long double, which takes long.
constexpr int64_t kMostVectors = 1024;

constexpr OptionChoice<bool> kStarts[] = {{"wait", false}, {"now", true}};
constexpr OptionChoice<Target> kTargets[] = {
    {"auto", Target::automatic}, {"gpu", Target::gpu}, {"host", Target::host}};

constexpr OptionChoice<std::optional<Side>> kSides[] = {
    {"device", Side::device}, {"host", Side::host}, {"both", std::nullopt}};

constexpr OptionChoice<StripsVariant> kReadings[] = {{"as-printed", StripsVariant::asPrinted},
                                                     {"corrected", StripsVariant::corrected},
                                                     {"unrounded", StripsVariant::unrounded}};
constexpr OptionChoice<std::optional<RowLaw>> kLaws[] = {{"own", std::nullopt},
                                                         {"fixed", RowLaw::fixed},
                                                         {"poisson", RowLaw::poisson},
                                                         {"uniform", RowLaw::uniform},
                                                         {"normal", RowLaw::normal}};

constexpr OptionChoice<PapersGrid> kGrids[] = {{"lines", PapersGrid::lines},
                                               {"full", PapersGrid::full}};

// Refuses options that select what --setup measures if --setup is missing.
static llvm::Error parseSetup(const Registered &r, Options &out) {
  if (!r.setup && (!r.states.empty() || r.from.getNumOccurrences() > 0))
    return fail(Status::badCall, "--{0} selects what --setup measures; add --setup",
                r.states.empty() ? "from" : "states");
  for (const std::string &state : r.states)
    if (!llvm::is_contained(kSetupStates, state))
      return fail(
          Status::badCall, "--states '{0}' is not a valid value; use some of {1}", state,
          llvm::join(std::vector<std::string>(std::begin(kSetupStates), std::end(kSetupStates)),
                     ", "));
  out.states = {r.states.begin(), r.states.end()};
  return parseChoice("from", r.from, kSides, out.from);
}

// Only pregen takes several numbers of vectors.
static llvm::Error parseVectors(const Registered &r, Options &out) {
  if (r.vectors.empty())
    return llvm::Error::success();
  out.vectors.clear();
  for (const std::string &text : r.vectors) {
    int64_t number = 0;
    if (llvm::Error error = parseNumber("vectors", text, int64_t{1}, number))
      return error;
    if (number > kMostVectors)
      return fail(Status::badCall, "--vectors {0} is too large; it must be at most {1}", number,
                  kMostVectors);
    out.vectors.push_back(number);
  }
  if (out.verb != "pregen" && out.vectors.size() > 1)
    return fail(Status::badCall, "--vectors names {0} numbers, but {1} takes one",
                out.vectors.size(), out.verb);
  return llvm::Error::success();
}

static llvm::Error parseWith(const Registered &r, Options &out) {
  for (const std::string &list : r.with) {
    llvm::SmallVector<llvm::StringRef, 4> names;
    llvm::StringRef(list).split(names, ',');
    std::vector<KernelOption> &options = out.with.emplace_back();
    for (const llvm::StringRef name : names) {
      if (name == "resultApart") // for which kernels of their own were needed once
        continue;
      const auto *found = llvm::find_if(kKernelOptions, [&](auto &o) { return name == o.name; });
      if (found == std::end(kKernelOptions))
        return fail(
            Status::badCall,
            "--with '{0}' is not an option for which plans need other kernels{1}; use some of {2}",
            name, meantBy(name, namesIn(kKernelOptions)),
            llvm::join(namesIn(kKernelOptions), ", "));
      options.push_back(*found);
    }
  }
  return llvm::Error::success();
}

// A plan fixes the format and all of its numbers.
static llvm::Error parsePlanOption(const Registered &r, Options &out) {
  if (r.plan.getNumOccurrences() == 0)
    return llvm::Error::success();
  const char *other = !r.formats.empty()                ? "format"
                      : !r.sets.empty()                 ? "set"
                      : r.rigor.getNumOccurrences() > 0 ? "rigor"
                                                        : nullptr;
  if (other)
    return fail(Status::badCall,
                "--plan gives a format with all of its numbers, which --{0} contradicts; leave out "
                "--plan or --{0}",
                other);
  return givenPlan(r.plan, "--plan").moveInto(out.plan);
}

static llvm::Error parseSets(const Registered &r, Options &out) {
  const bool takesAnyOrder = out.verb != "pregen"; // which is told no number of products
  llvm::StringSet<> names;
  for (const std::string &set : r.sets) {
    const llvm::StringRef name = llvm::StringRef(set).split('=').first;
    if (!names.insert(name).second)
      return fail(Status::badCall, "--set names '{0}' twice; leave out one of the values", name);
    if (llvm::Error error = parseFixed(set, takesAnyOrder, out.fixed, out.values, out.order))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error parseValues(const Registered &r, Options &out) {
  if (llvm::Error error = parseSets(r, out))
    return error;
  if (llvm::Error error = parsePlanOption(r, out))
    return error;
  if (llvm::Error error = parseTypes(r, out.types))
    return error;
  if (r.rigor.getNumOccurrences() > 0)
    if (llvm::Error error = parseChoice("rigor", r.rigor, kRigors, out.rigor))
      return error;
  if (llvm::Error error = parseChoice("start", r.start, kStarts, out.startNow))
    return error;
  if (llvm::Error error = parseChoice("target", r.target, kTargets, out.machine.target))
    return error;
  if (llvm::Error error = parseSetup(r, out))
    return error;
  if (llvm::Error error = parseChoice("reading", r.reading, kReadings, out.reading.variant))
    return error;
  if (llvm::Error error = parseChoice("law", r.law, kLaws, out.reading.law))
    return error;
  if (llvm::Error error = parseChoice("papers", r.papers, kGrids, out.papersGrid))
    return error;
  if (!r.part.empty())
    if (llvm::Error error = parsePart(r.part, out.part))
      return error;
  if (llvm::Error error = parseVectors(r, out))
    return error;
  if (llvm::Error error = parseWith(r, out))
    return error;
  if (llvm::Error error = parseNumber("device", r.device, 0, out.machine.device))
    return error;
  if (!r.products.empty())
    if (llvm::Error error = parseNumber("products", r.products, int64_t{1}, out.products))
      return error;
  return parseNumber("host-products", r.hostProducts, int64_t{1}, out.hostProducts);
}

static std::string verbOf(const Registered &r) {
  for (const auto &verb : r.verbs)
    if (*verb)
      return verb->getName().str();
  return "";
}

// Returns the names of the options in the call, in the order of the verb's help.
static std::vector<std::string> givenOptions(const Registered &r, const Verb &verb) {
  const auto &known = cl::getRegisteredOptions(*r.verbs[&verb - verbs().begin()]);
  std::vector<std::string> out;
  for (const llvm::StringRef name : optionsOf(verb, nullptr))
    if (known.lookup(name)->getNumOccurrences() > 0)
      out.push_back(name.str());
  return out;
}

const char *nameOf(Rigor rigor) {
  return llvm::find_if(kRigors, [&](const auto &each) { return each.value == rigor; })->name;
}

llvm::Expected<Options> parseOptions(int argc, const char *const *argv) {
  Registered r;
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "specmv " SPECMV_VERSION_TEXT "\n"; });
  auto help = helpIn(r, argc, argv);
  if (!help)
    return help.takeError();
  Options out;
  if (*help) {
    out.help = std::move(**help);
    return out;
  }
  if (llvm::Error error = checkCallWords(r, argc, argv))
    return error;
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  if (!cl::ParseCommandLineOptions(argc, argv, "", &errors, nullptr,
                                   /*LongOptionsUseDoubleDash=*/true))
    return failWith(Status::badCall, sentenceOf(messages));

  out.call = callText(argc, argv);
  out.verb = verbOf(r);
  out.given = givenOptions(r, *findVerb(out.verb));
  out.arguments = {r.arguments.begin(), r.arguments.end()};
  out.formats = {r.formats.begin(), r.formats.end()};
  if (llvm::Error error = parseValues(r, out))
    return error;
  out.machine.gpuModel = r.gpu;
  out.machine.arch = r.arch;
  out.machine.onlyPacks = r.onlyPacks;
  if (r.onlyPacks)
    out.machine.kernels = KernelKind::atHand; // packs have general kernels
  out.json = r.json, out.quiet = r.quiet, out.why = r.why, out.all = r.all, out.ptx = r.ptx,
  out.list = r.list;
  out.betaIsZero = r.betaIsZero;
  out.transpose = r.transpose;
  out.output = r.output, out.signature = r.signature, out.cubin = r.cubin;
  out.standard = r.standard, out.coverage = r.coverage;
  out.suite = r.suite, out.resume = r.resume, out.measured = r.measured, out.leftOut = r.leftOut,
  out.size = r.size, out.setup = r.setup, out.standalone = r.standalone, out.keep = r.keep;
  return out;
}

std::string optionBeside(const Options &options, llvm::ArrayRef<llvm::StringRef> used) {
  const auto found = llvm::find_if(
      options.given, [&](llvm::StringRef name) { return !llvm::is_contained(used, name); });
  return found == options.given.end() ? "" : spelledOption(*found);
}

bool choosesAsLibrary(const Options &options) {
  return llvm::is_contained({"run", "analyze", "report", "emit", "pregen"}, options.verb);
}

} // namespace specmv::cli
