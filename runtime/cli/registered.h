// The options of the tool as LLVM's cl registers them, with what --help says of each.
#pragma once

#include "runtime/cli/verbs.h"

#include "llvm/Support/CommandLine.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv::cli {

namespace cl = llvm::cl;

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
  cl::opt<std::string> rigor{
      "rigor", cl::value_desc("estimate|trial|measure|exhaustive"),
      cl::desc("how a plan is chosen: estimate: by its predicted time, and\n"
               "of plans within 3 percent one whose kernel is ready; trial:\n"
               "on a GPU, up to three plans within 10 percent of the best\n"
               "prediction are timed where that can pay in the products of\n"
               "--products; measure: the plans with the best predictions\n"
               "are timed; exhaustive: all plans are timed (default:\n"
               "estimate, with --products trial)"),
      everywhere(), in()};
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
               "commas); without a GPU, others than pregen predict for it"),
      everywhere(), in()};
  cl::opt<std::string> gpu{"gpu", cl::value_desc("NAME|FILE.json"),
                           cl::desc("GPU model for the predictions"), everywhere(), in()};
  cl::opt<std::string> device{
      "device",      cl::value_desc("N"), cl::desc("number of the GPU, from 0"),
      cl::init("0"), everywhere(),        in()};
  cl::opt<std::string> products{
      "products", cl::value_desc("N"),
      cl::desc("run, analyze, emit: number of products that are expected, to\n"
               "weigh the set-ups against (estimates and trials only; default:\n"
               "unknown, set-ups do not count)"),
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
  cl::opt<std::string> suite{"suite",
                             cl::value_desc("full|quick"),
                             cl::desc("bench, evaluate: measure the matrices of a suite"),
                             only("bench"),
                             only("evaluate"),
                             in()};
  cl::opt<bool> setup{
      "setup",
      cl::desc("bench: time the whole way from a matrix in CSR, on the device and\n"
               "on the host, to the last of 1 to 10,000 products: with our set-up\n"
               "when the cache is empty (cold), has the kernels (pack), they are\n"
               "loaded too (new), the choice is known too (again), and by the plan\n"
               "of a known structure (structure), beside products that start at\n"
               "once (now), or knowing their number (products); and with each\n"
               "algorithm of cuSPARSE, its buffer, preprocessing and conversion"),
      only("bench"), in()};
  cl::list<std::string> states{"states",
                               cl::CommaSeparated,
                               cl::value_desc("cold,pack,new,again,structure,now,products"),
                               cl::desc("bench --setup: measure ours in these states only"),
                               only("bench"),
                               in()};
  cl::opt<std::string> from{"from",
                            cl::value_desc("device|host|both"),
                            cl::desc("bench --setup: where the matrix lies at first"),
                            cl::init("both"),
                            only("bench"),
                            in()};
  cl::opt<std::string> resume{
      "resume",
      cl::value_desc("FILE"),
      cl::desc("bench, evaluate, calibrate: continue the measurement whose\n"
               "results are in FILE"),
      only("bench"),
      only("evaluate"),
      only("calibrate"),
      in()};
  cl::opt<std::string> measured{
      "measured",
      cl::value_desc("FILE"),
      cl::desc("evaluate, calibrate: measure nothing, but take what evaluate,\n"
               "calibrate or bench wrote to FILE"),
      only("evaluate"),
      only("calibrate"),
      in()};
  cl::opt<bool> leftOut{"left-out",
                        cl::desc("evaluate: also judge each matrix by our model as it is after a\n"
                                 "fit to the other families"),
                        only("evaluate"), in()};
  cl::opt<std::string> size{"size", cl::value_desc("BYTES"),
                            cl::desc("cache prune: the most bytes to leave, such as 500M or 1G\n"
                                     "(default: SPECMV_CACHE_SIZE, else 1G)"),
                            only("cache"), in()};
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
} // namespace specmv::cli
