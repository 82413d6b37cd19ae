// Parses the command line with LLVM's cl, each verb a subcommand.
#include "runtime/cli/options.h"

#include "runtime/cli/option_values.h"
#include "runtime/cli/verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

namespace cl = llvm::cl;

namespace {
// All options. They are registered while an object of this class exists, so that nothing is
// registered before main().
struct Registered {
  cl::OptionCategory category{"Options of specmv"};
  std::vector<std::unique_ptr<cl::SubCommand>> verbs = makeVerbs();
  cl::list<std::string> arguments{cl::Positional, cl::desc("A..."), everywhere()};
  cl::list<std::string> formats{"format",
                                cl::CommaSeparated,
                                cl::value_desc("F,..."),
                                cl::desc("storage formats to choose from (default: all)"),
                                everywhere(),
                                in()};
  cl::list<std::string> types{"type",
                              cl::CommaSeparated,
                              cl::value_desc("f32,f64"),
                              cl::desc("types of the values (default f64)"),
                              everywhere(),
                              in()};
  cl::list<std::string> sets{
      "set", cl::value_desc("name=value"),
      cl::desc("fix a parameter of a format, such as ell.width=27; may be repeated"), everywhere(),
      in()};
  // The values of these are parsed below, because cl would print messages of its own about bad
  // ones.
  cl::opt<std::string> rigor{"rigor",
                             cl::value_desc("estimate|measure|exhaustive"),
                             cl::desc("how a plan is chosen: estimate: by its predicted time, and\n"
                                      "of plans within 3 percent one whose kernel is ready; "
                                      "measure: the plans with the best predictions are timed; "
                                      "exhaustive: all plans are timed"),
                             cl::init("estimate"),
                             everywhere(),
                             in()};
  cl::opt<std::string> start{
      "start",
      cl::value_desc("wait|now"),
      cl::desc("run: now: also tell when a product could first be launched,\n"
               "and by which plan"),
      cl::init("wait"),
      only("run"),
      in()};
  cl::opt<std::string> target{"target",
                              cl::value_desc("auto|gpu|host"),
                              cl::desc("where the product runs (auto: on the GPU if there is one)"),
                              cl::init("auto"),
                              everywhere(),
                              in()};
  cl::opt<std::string> arch{
      "arch", cl::value_desc("sm_90"),
      cl::desc("GPU architecture to compile for (pregen: several, divided by\n"
               "commas)"),
      everywhere(), in()};
  cl::opt<std::string> gpu{"gpu", cl::value_desc("NAME|FILE.json"),
                           cl::desc("GPU model for the predictions"), everywhere(), in()};
  cl::opt<std::string> device{
      "device",      cl::value_desc("N"), cl::desc("number of the GPU, from 0"),
      cl::init("0"), everywhere(),        in()};
  cl::opt<std::string> products{
      "products", cl::value_desc("N"),
      cl::desc("run, analyze, emit: number of products that are expected, to\n"
               "weigh the set-ups against (estimates only; default: unknown,\n"
               "set-ups do not count)"),
      everywhere(), in()};
  cl::opt<std::string> hostProducts{
      "host-products", cl::value_desc("N"), cl::desc("number of products to time on the host"),
      cl::init("100"), everywhere(),        in()};
  cl::opt<bool> betaIsZero{"beta-is-zero",
                           cl::desc("promise that beta is 0 in every product (pregen: kernels for\n"
                                    "this promise, too)"),
                           everywhere(), in()};
  cl::opt<bool> onlyPacks{"only-packs",
                          cl::desc("compile nothing: take kernels only from packs and caches of\n"
                                   "SPECMV_CACHE_PATH and from the standard pack"),
                          everywhere(), in()};
  cl::opt<bool> json{"json", cl::desc("print one JSON document (bench: JSON lines)"), everywhere(),
                     in()};
  cl::opt<bool> quiet{"quiet", cl::desc("print no notes and no progress"), everywhere(), in()};
  cl::opt<bool> why{"why", cl::desc("analyze: tell why formats do not apply or were not chosen"),
                    only("analyze"), in()};
  cl::opt<bool> ptx{"ptx", cl::desc("emit: print PTX instead of CUDA source"), only("emit"), in()};
  cl::opt<bool> list{"list", cl::desc("generate: list the families and their keys"),
                     only("generate"), in()};
  cl::opt<std::string> output{"o",
                              cl::Prefix,
                              cl::value_desc("FILE"),
                              cl::desc("write the result to FILE (-: standard output)"),
                              everywhere(),
                              in()};
  cl::opt<std::string> signature{"signature", cl::value_desc("FILE"),
                                 cl::desc("analyze: write the signature to FILE"), only("analyze"),
                                 in()};
  cl::opt<bool> standard{"standard",
                         cl::desc("pregen: also the kernels of a built-in list of plans"),
                         only("pregen"), in()};
  cl::opt<std::string> coverage{
      "coverage", cl::value_desc("PACK"),
      cl::desc("pregen: make nothing, but tell for which of the matrices\n"
               "PACK has the kernel of the plan that is chosen with it"),
      only("pregen"), in()};
  cl::opt<std::string> suite{"suite", cl::value_desc("full|quick"),
                             cl::desc("bench: measure the matrices of a suite"), only("bench"),
                             in()};
  cl::opt<bool> setup{
      "setup",
      cl::desc("bench: time the whole way from a matrix in CSR, on the device and\n"
               "on the host, to the last of 1 to 10,000 products: with our set-up\n"
               "when the cache is empty (cold), has the kernels (pack), or has the\n"
               "choice too (again), and by the plan of a known structure\n"
               "(structure), or beside products that start at once (now); and with\n"
               "each algorithm of cuSPARSE, its buffer,\n"
               "preprocessing and conversion"),
      only("bench"), in()};
  cl::opt<std::string> resume{"resume", cl::value_desc("FILE"),
                              cl::desc("bench: continue the measurement whose results are in FILE"),
                              only("bench"), in()};
  cl::opt<std::string> cubin{
      "cubin", cl::value_desc("FILE"),
      cl::desc("emit: write the cubin to FILE (-: standard output). The\n"
               "source or PTX is then written\n"
               "only where -o or --ptx asks for it: to the file of -o, else\n"
               "to standard output. --json writes one document there that\n"
               "holds what is asked for. Two results on standard output, or\n"
               "in one file, are refused"),
      only("emit"), in()};

private:
  static std::vector<std::unique_ptr<cl::SubCommand>> makeVerbs() {
    std::vector<std::unique_ptr<cl::SubCommand>> out;
    for (const Verb &verb : cli::verbs())
      out.push_back(std::make_unique<cl::SubCommand>(verb.name, verb.description));
    return out;
  }
  cl::sub only(llvm::StringRef name) {
    for (const auto &verb : verbs)
      if (verb->getName() == name)
        return cl::sub(*verb);
    return everywhere();
  }
  static cl::sub everywhere() { return cl::sub(cl::SubCommand::getAll()); }
  cl::cat in() { return cl::cat(category); }
};
} // namespace

// LLVM's message on a bad call, "specmv: Unknown ... Try ...", as one sentence in our style.
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
    if (!llvm::is_contained(types, value)) // naming a type twice changes nothing, as with --format
      types.push_back(value);
  }
  return llvm::Error::success();
}

constexpr OptionChoice<Rigor> kRigors[] = {
    {"estimate", Rigor::estimate}, {"measure", Rigor::measure}, {"exhaustive", Rigor::exhaustive}};
constexpr OptionChoice<bool> kStarts[] = {{"wait", false}, {"now", true}};
constexpr OptionChoice<Target> kTargets[] = {
    {"auto", Target::automatic}, {"gpu", Target::gpu}, {"host", Target::host}};

static llvm::Error parseValues(const Registered &r, Options &out) {
  for (const std::string &set : r.sets)
    if (llvm::Error error = parseFixed(set, out.fixed))
      return error;
  if (llvm::Error error = parseTypes(r, out.types))
    return error;
  if (llvm::Error error = parseChoice("rigor", r.rigor, kRigors, out.rigor))
    return error;
  if (llvm::Error error = parseChoice("start", r.start, kStarts, out.startNow))
    return error;
  if (llvm::Error error = parseChoice("target", r.target, kTargets, out.machine.target))
    return error;
  if (llvm::Error error = parseNumber("device", r.device, 0, out.machine.device))
    return error;
  if (!r.products.empty())
    if (llvm::Error error = parseNumber("products", r.products, int64_t{1}, out.products))
      return error;
  return parseNumber("host-products", r.hostProducts, int64_t{1}, out.hostProducts);
}

// The options that this verb takes, or those of a call without a verb.
static const llvm::StringMap<cl::Option *> &optionsOf(const Registered &r, llvm::StringRef verb) {
  for (const auto &each : r.verbs)
    if (each->getName() == verb)
      return cl::getRegisteredOptions(*each);
  return cl::getRegisteredOptions();
}

// Finds missing and superfluous values before LLVM does, because LLVM prints its message about them
// to standard error and not to the stream that it was given. Other errors it writes to that stream.
static llvm::Error checkValues(const Registered &r, int argc, const char *const *argv) {
  const auto &known = optionsOf(r, argc > 1 ? argv[1] : "");
  for (int i = 1; i < argc && llvm::StringRef(argv[i]) != "--"; ++i) {
    const llvm::StringRef argument = argv[i];
    const auto [option, value] = argument.split('=');
    const auto found = known.find(option.ltrim('-'));
    if (!option.starts_with("-") || found == known.end())
      continue;
    const bool given = option.size() < argument.size();
    const bool wanted = found->second->getValueExpectedFlag() == cl::ValueRequired;
    if (given && !wanted)
      return fail(Status::badCall, "{0} takes no value, but '{1}' was given", option, value);
    if (!given && wanted && ++i == argc)
      return fail(Status::badCall, "{0} needs a value", option);
  }
  return llvm::Error::success();
}

// LLVM finds a verb only if it is the first argument.
static llvm::Error checkVerbFirst(int argc, const char *const *argv) {
  if (argc < 3 || argv[1][0] != '-')
    return llvm::Error::success();
  for (int i = 2; i < argc; ++i)
    for (const Verb &verb : verbs())
      if (llvm::StringRef(argv[i]) == verb.name)
        return fail(Status::badCall, "'{0}' must come after the verb; write 'specmv {1} {0} ...'",
                    argv[1], verb.name);
  return llvm::Error::success();
}

static std::string verbOf(const Registered &r) {
  for (const auto &verb : r.verbs)
    if (*verb)
      return verb->getName().str();
  return "";
}

const char *nameOf(Rigor rigor) {
  return llvm::find_if(kRigors, [&](const auto &each) { return each.value == rigor; })->name;
}

llvm::Expected<Options> parseOptions(int argc, const char *const *argv) {
  Registered r;
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "specmv " SPECMV_VERSION "\n"; });
  for (const auto &verb : r.verbs)
    cl::HideUnrelatedOptions(r.category, *verb);
  cl::HideUnrelatedOptions(r.category);
  if (llvm::Error error = checkValues(r, argc, argv))
    return error;
  if (llvm::Error error = checkVerbFirst(argc, argv))
    return error;
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "specmv: a GPU kernel for y = alpha A x + beta y, made for the sparsity of A\n", &errors,
          nullptr, /*LongOptionsUseDoubleDash=*/true))
    return failWith(Status::badCall, sentenceOf(messages));

  Options out;
  out.verb = verbOf(r);
  out.arguments = {r.arguments.begin(), r.arguments.end()};
  out.formats = {r.formats.begin(), r.formats.end()};
  if (llvm::Error error = parseValues(r, out))
    return error;
  out.machine.gpuModel = r.gpu;
  out.machine.arch = r.arch;
  out.machine.onlyPacks = r.onlyPacks;
  out.json = r.json, out.quiet = r.quiet, out.why = r.why, out.ptx = r.ptx, out.list = r.list;
  out.betaIsZero = r.betaIsZero;
  out.output = r.output, out.signature = r.signature, out.cubin = r.cubin;
  out.standard = r.standard, out.coverage = r.coverage;
  out.suite = r.suite, out.resume = r.resume, out.setup = r.setup;
  return out;
}

} // namespace specmv::cli
