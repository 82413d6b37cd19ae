// Parses the command line with LLVM's cl, each verb a subcommand.
#include "runtime/cli/options.h"

#include "runtime/cli/verbs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace specmv::cli {

namespace cl = llvm::cl;

namespace {

// All options, registered while one of these lives: nothing is registered before main.
struct Registered {
  cl::OptionCategory category{"Options of specmv"};
  std::vector<std::unique_ptr<cl::SubCommand>> verbs = makeVerbs();
  cl::list<std::string> arguments{cl::Positional, cl::desc("A..."), everywhere()};
  cl::list<std::string> formats{"format",
                                cl::CommaSeparated,
                                cl::value_desc("F,..."),
                                cl::desc("only these storage formats"),
                                everywhere(),
                                in()};
  cl::list<std::string> types{"type",
                              cl::CommaSeparated,
                              cl::value_desc("f32,f64"),
                              cl::desc("value types (default f64)"),
                              everywhere(),
                              in()};
  cl::list<std::string> sets{"set", cl::value_desc("name=value"),
                             cl::desc("fix a parameter of the plans, such as ell.width=27"),
                             everywhere(), in()};
  cl::opt<Rigor> rigor{
      "rigor",
      cl::desc("how a plan is chosen (default estimate)"),
      cl::init(Rigor::estimate),
      cl::values(clEnumValN(Rigor::estimate, "estimate", "the least predicted time"),
                 clEnumValN(Rigor::measure, "measure", "the fastest of the best predicted"),
                 clEnumValN(Rigor::exhaustive, "exhaustive", "the fastest of all plans")),
      everywhere(),
      in()};
  cl::opt<Target> target{
      "target",
      cl::desc("where the product runs (default auto)"),
      cl::init(Target::automatic),
      cl::values(clEnumValN(Target::automatic, "auto", "the GPU where there is one, else the host"),
                 clEnumValN(Target::gpu, "gpu", "the GPU"),
                 clEnumValN(Target::host, "host", "plain CSR on all cores")),
      everywhere(),
      in()};
  cl::opt<std::string> arch{"arch", cl::value_desc("sm_90"),
                            cl::desc("architecture to compile for"), everywhere(), in()};
  cl::opt<std::string> gpu{"gpu", cl::value_desc("NAME|FILE.json"),
                           cl::desc("GPU model to predict with"), everywhere(), in()};
  cl::opt<int> device{"device",    cl::value_desc("N"), cl::desc("ordinal of the GPU"),
                      cl::init(0), everywhere(),        in()};
  cl::opt<int64_t> products{
      "products",    cl::value_desc("N"), cl::desc("products to time on the host"),
      cl::init(100), everywhere(),        in()};
  cl::opt<bool> betaIsZero{"beta-is-zero", cl::desc("promise that beta is 0 in every product"),
                           everywhere(), in()};
  cl::opt<bool> json{"json", cl::desc("one JSON document (JSON lines for bench)"), everywhere(),
                     in()};
  cl::opt<bool> quiet{"quiet", cl::desc("no notes and no progress"), everywhere(), in()};
  cl::opt<bool> why{"why", cl::desc("analyze: why each format was refused or not chosen"),
                    everywhere(), in()};
  cl::opt<bool> ptx{"ptx", cl::desc("emit: PTX instead of source"), everywhere(), in()};
  cl::opt<bool> list{"list", cl::desc("generate: the families and their keys"), everywhere(), in()};
  cl::opt<std::string> output{"o", cl::value_desc("FILE"), cl::desc("write the result to a file"),
                              everywhere(), in()};
  cl::opt<std::string> signature{"signature", cl::value_desc("FILE"),
                                 cl::desc("analyze: write the signature"), everywhere(), in()};
  cl::opt<std::string> cubin{"cubin", cl::value_desc("FILE"), cl::desc("emit: write the cubin"),
                             everywhere(), in()};

private:
  static std::vector<std::unique_ptr<cl::SubCommand>> makeVerbs() {
    std::vector<std::unique_ptr<cl::SubCommand>> out;
    for (const Verb &verb : cli::verbs())
      out.push_back(std::make_unique<cl::SubCommand>(verb.name, verb.description));
    return out;
  }
  static cl::sub everywhere() { return cl::sub(cl::SubCommand::getAll()); }
  cl::cat in() { return cl::cat(category); }
};

// LLVM's words on a bad call, "specmv: Unknown ... Try ...", as one sentence of ours.
std::string sentenceOf(llvm::StringRef said) {
  llvm::StringRef line = said.ltrim().split('\n').first;
  const auto [program, rest] = line.split(": ");
  std::string sentence = (rest.empty() ? line : rest).str();
  if (!sentence.empty() && !llvm::StringRef(sentence).starts_with("for the"))
    sentence[0] = llvm::toLower(sentence[0]);
  return sentence;
}

llvm::Error parseFixed(const std::string &text, Fixed &fixed) {
  auto [name, value] = llvm::StringRef(text).split('=');
  double number = 0;
  auto [end, error] = std::from_chars(value.begin(), value.end(), number);
  if (name.empty() || value.empty() || error != std::errc() || end != value.end())
    return fail(Status::badCall, "--set '{0}' is not name=number", text);
  fixed.emplace_back(name.str(), number);
  return llvm::Error::success();
}

llvm::Error parseTypes(const Registered &r, std::vector<ValueType> &types) {
  types = {ValueType::f64};
  if (!r.types.empty())
    types.clear();
  for (const std::string &type : r.types) {
    if (type != "f32" && type != "f64")
      return fail(Status::badCall, "--type '{0}' is not f32 or f64", type);
    types.push_back(type == "f32" ? ValueType::f32 : ValueType::f64);
  }
  return llvm::Error::success();
}

std::string verbOf(const Registered &r) {
  for (const auto &verb : r.verbs)
    if (*verb)
      return verb->getName().str();
  return "";
}

} // namespace

llvm::Expected<Options> parseOptions(int argc, const char *const *argv) {
  Registered r;
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "specmv " SPECMV_VERSION "\n"; });
  for (const auto &verb : r.verbs)
    cl::HideUnrelatedOptions(r.category, *verb);
  cl::HideUnrelatedOptions(r.category);
  std::string said;
  llvm::raw_string_ostream errors(said);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "specmv: a GPU kernel for y = alpha A x + beta y, made for the sparsity of A\n", &errors,
          nullptr, /*LongOptionsUseDoubleDash=*/true))
    return failWith(Status::badCall, sentenceOf(said));

  Options out;
  out.verb = verbOf(r);
  out.arguments = {r.arguments.begin(), r.arguments.end()};
  out.formats = {r.formats.begin(), r.formats.end()};
  for (const std::string &set : r.sets)
    if (llvm::Error error = parseFixed(set, out.fixed))
      return error;
  if (llvm::Error error = parseTypes(r, out.types))
    return error;
  if (r.products < 1)
    return fail(Status::badCall, "--products {0} is less than 1", int64_t(r.products));
  out.rigor = r.rigor;
  out.machine = {r.target, r.device, r.gpu, r.arch};
  out.json = r.json, out.quiet = r.quiet, out.why = r.why, out.ptx = r.ptx, out.list = r.list;
  out.betaIsZero = r.betaIsZero;
  out.products = r.products;
  out.output = r.output, out.signature = r.signature, out.cubin = r.cubin;
  return out;
}

} // namespace specmv::cli
