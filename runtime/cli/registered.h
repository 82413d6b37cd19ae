// Registers the options of the tool with LLVM's cl, with their help. Text in braces after names of
// verbs applies to these verbs only.
#pragma once

#include "runtime/cli/verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv::cli {

namespace cl = llvm::cl;

// Registers an option for the verbs whose row of the table names it. Must follow the option's name.
struct ForItsVerbs {
  llvm::ArrayRef<std::unique_ptr<cl::SubCommand>> registered;
  void apply(cl::Option &option) const {
    for (size_t i = 0; i < verbs().size(); ++i)
      if (llvm::is_contained(optionsOf(verbs()[i], nullptr), option.ArgStr))
        option.addSubCommand(*registered[i]);
  }
};

// All options. They are registered while an object of this class exists, so that nothing is
// registered before main().
struct Registered {
  std::vector<std::unique_ptr<cl::SubCommand>> verbs = makeVerbs();
  cl::list<std::string> arguments{cl::Positional, cl::desc("A..."),
                                  cl::sub(cl::SubCommand::getAll())};
  cl::list<std::string> formats{"format", cl::CommaSeparated, cl::value_desc("F,..."),
                                cl::desc("storage formats to choose from (default: all)"), taken()};
  cl::list<std::string> types{"type", cl::CommaSeparated, cl::value_desc("f32,f64"),
                              cl::desc("types of the values{emit,report:: one} (default: f64)"),
                              taken()};
  cl::list<std::string> sets{
      "set", cl::value_desc("name=value"),
      cl::desc(
          "fix a parameter of a format, such as ell.width=27, or how values are stored: "
          "values=any for what the values fit{run,analyze,report,emit,pregen: (default)}, "
          "values=plain{bench,profile,evaluate: (default, since formats are compared)}, or a "
          "coding "
          "such as values=ones; or the order of rows and columns: "
          "order=none{pregen: (default) or order=bfs}{bench,profile,evaluate: (default)}"
          "{run,analyze,report,emit,bench,profile,evaluate:, "
          "order=bfs, or order=any for the one with the shorter product}{run,analyze,report,emit: "
          "(default with --products, otherwise order=none)}; may be repeated"),
      taken()};
  cl::opt<std::string> plan{
      "plan", cl::value_desc("TEXT"),
      cl::desc(
          "{run,emit:use the plan of this text without choosing}{pregen:also make the kernels of "
          "the plan of this text, which needs no matrix}: the text of specmvGetPlanText(), or of "
          "the "
          "line 'chosen' of run without its parentheses, if no list in it is shortened; not "
          "with --format, --set{run,emit: or --rigor}"),
      taken()};
  // The values of these are parsed below, because cl would print its own messages about bad ones.
  cl::opt<std::string> rigor{
      "rigor", cl::value_desc("estimate|trial|measure|exhaustive"),
      cl::desc("how a plan is chosen: estimate: by its predicted time; among "
               "plans within 3 percent, one whose kernel is ready; trial: "
               "on a GPU, up to three plans within 10 percent of the best "
               "prediction are timed if that can pay in the products of "
               "--products; measure: the plans with the best predictions "
               "are timed; exhaustive: all plans are timed (default: estimate)"),
      taken()};
  cl::opt<std::string> start{"start", cl::value_desc("wait|now"),
                             cl::desc("now: also print when a product could first be launched, "
                                      "and by which plan (default wait)"),
                             cl::init("wait"), taken()};
  cl::opt<std::string> target{
      "target", cl::value_desc("auto|gpu|host"),
      cl::desc(
          "{run,analyze,report,emit,bench,profile,evaluate:where the product runs (default "
          "auto: on the GPU if there is one)}{pregen:host: predict as on a machine without a GPU "
          "(default auto: for this machine's GPU if there is one)}"),
      cl::init("auto"), taken()};
  cl::opt<std::string> arch{
      "arch", cl::value_desc("sm_90"),
      cl::desc(
          "GPU architecture to compile for{pregen:, or several, divided by "
          "commas}{run,analyze,report,emit,bench,profile,evaluate,pregen:; without --gpu, also the "
          "one to predict for, by this machine's GPU if it has this architecture, else by the GPU "
          "that represents it} (default: {pregen:that of --gpu, else of this machine's GPU}"
          "{run,analyze,report,emit,bench,profile,evaluate,calibrate:that of "
          "the GPU, else of --gpu})"),
      taken()};
  cl::opt<std::string> gpu{
      "gpu", cl::value_desc("NAME|FILE.json"),
      cl::desc(
          "GPU model for the predictions, such as h200, a100 or l40s (default: "
          "{run,analyze,report,emit,bench,profile,evaluate,pregen:that of --arch, else "
          "SPECMV_GPU_MODEL, else }{run,analyze,report,emit,bench,profile,evaluate:your model of "
          "the GPU from calibrate --keep, else }the built-in model of the GPU, else h200)"),
      taken()};
  cl::opt<std::string> device{"device", cl::value_desc("N"),
                              cl::desc("number of the GPU, from 0 (default 0)"), cl::init("0"),
                              taken()};
  cl::opt<std::string> products{
      "products", cl::value_desc("N"),
      cl::desc(
          "expected number of products, against which set-ups are weighed (estimates and trials "
          "only; default: unknown, set-ups do not count)"),
      taken()};
  cl::list<std::string> vectors{
      "vectors", cl::CommaSeparated, cl::value_desc("K"),
      cl::desc("number of vectors that a product multiplies at once{run,bench:, in rows}{pregen:, "
               "or several numbers, divided by commas: kernels for each}; up to 16 take one pass "
               "over the matrix (default 1)"),
      taken()};
  cl::opt<bool> transpose{"transpose",
                          cl::desc("{pregen:make the kernels for the transposes}"
                                   "{cache:forget the choices for the transpose} instead"),
                          taken()};
  cl::list<std::string> with{
      "with", cl::value_desc("scalarsOnGpu,doubleVectors,vectorsInPlanOrder"),
      cl::desc("make the kernels for plans with these options of the C API, too; may be repeated"),
      taken()};
  cl::opt<std::string> hostProducts{
      "host-products", cl::value_desc("N"),
      cl::desc("number of products to time on the host (default 100)"), cl::init("100"), taken()};
  cl::opt<bool> betaIsZero{"beta-is-zero",
                           cl::desc("promise that beta is 0 in every product{pregen:: make the "
                                    "kernels for this promise, too}"),
                           taken()};
  cl::opt<bool> onlyPacks{"only-packs",
                          cl::desc("compile nothing: take kernels only from packs and caches of "
                                   "SPECMV_CACHE_PATH and from the standard pack"),
                          taken()};
  cl::opt<bool> json{
      "json",
      cl::desc(
          "print {bench,evaluate:JSON lines}{run,analyze,emit,profile,pregen,cache,generate:one "
          "JSON document} (runtime/cli/JSON.md)"),
      taken()};
  cl::opt<bool> quiet{"quiet", cl::desc("print no notes and no progress (default: both)"), taken()};
  cl::opt<bool> why{
      "why", cl::desc("explain the choice, and why other formats do not apply or were not chosen"),
      taken()};
  cl::opt<bool> all{"all",
                    cl::desc("show all plans, all counts of the matrix, and the predictions of "
                             "the papers' models (default: the eight best plans)"),
                    taken()};
  cl::opt<bool> ptx{"ptx", cl::desc("print PTX instead of CUDA source"), taken()};
  cl::opt<bool> list{"list", cl::desc("list the families and their keys"), taken()};
  cl::opt<std::string> output{
      "o", cl::Prefix, cl::value_desc("FILE"),
      cl::desc(
          "write the "
          "{generate:matrix}{calibrate:model}{pregen:pack}{run,analyze,report,emit,bench,profile,"
          "evaluate,cache:result} to FILE "
          "(-{run,analyze,report,emit,bench,profile,evaluate,cache:, "
          "the default}: standard output)"),
      taken()};
  cl::opt<std::string> signature{"signature", cl::value_desc("FILE"),
                                 cl::desc("write the signature to FILE"), taken()};
  cl::opt<bool> standard{"standard", cl::desc("also make the kernels of a built-in list of plans"),
                         taken()};
  cl::opt<std::string> coverage{"coverage", cl::value_desc("PACK"),
                                cl::desc("make nothing; print for which of the matrices PACK "
                                         "has the kernel of the plan that is chosen with PACK"),
                                taken()};
  cl::opt<std::string> suite{
      "suite", cl::value_desc("full|quick|unseen|pmf|qcsr|hcghyb|strips|statistics"),
      cl::desc("measure the matrices of a suite; those of unseen are of families that are never "
               "used for a fit; pmf and the rest are the matrices of papers (twins)"),
      taken()};
  cl::opt<bool> setup{"setup",
                      cl::desc("time set-up and 1 to 10,000 products together, for a matrix in "
                               "CSR on the device and on the host. Our set-ups are: the first of a "
                               "program (first), with an empty cache (cold), with cached kernels "
                               "(pack), with loaded kernels (new), also with a known choice "
                               "(again), with the plan of a known structure (structure), beside "
                               "products that start at once (now), and with a known number of "
                               "products (products). Each algorithm of cuSPARSE is timed with its "
                               "buffer, preprocessing and conversion"),
                      taken()};
  cl::list<std::string> states{
      "states", cl::CommaSeparated,
      cl::value_desc("first,cold,pack,new,again,structure,now,products"),
      cl::desc("with --setup: measure our set-ups in these states only (default: all)"), taken()};
  cl::opt<std::string> from{"from", cl::value_desc("device|host|both"),
                            cl::desc("with --setup: where the matrix is at first (default both)"),
                            cl::init("both"), taken()};
  cl::opt<std::string> resume{
      "resume", cl::value_desc("FILE"),
      cl::desc("continue the measurement whose results are in FILE{bench,evaluate:; needs --json}"),
      taken()};
  cl::opt<std::string> measured{"measured", cl::value_desc("FILE"),
                                cl::desc("measure nothing; use the measurements that evaluate, "
                                         "calibrate or bench wrote to FILE"),
                                taken()};
  cl::opt<bool> leftOut{"left-out",
                        cl::desc("also judge each matrix by our model after a fit to the "
                                 "other families"),
                        taken()};
  cl::opt<std::string> reading{
      "reading", cl::value_desc("as-printed|corrected|unrounded"),
      cl::desc("how the papers' models are read: as printed, with misprints corrected, or also "
               "with strips that are not rounded up (default corrected)"),
      cl::init("corrected"), taken()};
  cl::opt<std::string> law{
      "law", cl::value_desc("own|fixed|poisson|uniform|normal"),
      cl::desc("law of the row lengths of the statistics paper's benchmark matrices (default own: "
               "for each kernel the law that the paper finds the most accurate)"),
      cl::init("own"), taken()};
  cl::opt<std::string> papers{
      "papers", cl::value_desc("lines|full"),
      cl::desc("full: {calibrate:measure the papers' benchmark matrices up to the sizes that they "
               "print, which takes hours (repeat the call after an interruption), and }time each "
               "plan also as the strips and statistics papers do (default lines)"),
      cl::init("lines"), taken()};
  cl::opt<std::string> part{
      "part", cl::value_desc("K/N"),
      cl::desc("measure only the K-th of N parts of the matrices, as on one of N equal GPUs, and "
               "write no model; needs --resume FILE. Join the N files and give the result to "
               "--measured"),
      taken()};
  cl::opt<bool> keep{"keep",
                     cl::desc("keep the model in the cache folder, where the tool and the library "
                              "find it by the name of the GPU"),
                     taken()};
  cl::opt<std::string> size{"size", cl::value_desc("BYTES"),
                            cl::desc("the largest number of bytes to keep, such as 500M or 1G "
                                     "(default: SPECMV_CACHE_SIZE, else 1G)"),
                            taken()};
  cl::opt<std::string> cubin{"cubin", cl::value_desc("FILE"),
                             cl::desc("write the cubin to FILE (-: standard output). The source or "
                                      "PTX is then written only if -o or --ptx asks for it: to the "
                                      "file of -o, else to standard output. --json writes one "
                                      "document there with everything that is asked for. Two "
                                      "results on standard output, or in one file, are refused"),
                             taken()};
  cl::opt<bool> standalone{
      "standalone",
      cl::desc("write a program with its own main(): the source goes to the FILE.cu of -o, the "
               "packed arrays beside it to FILE.bin; 'nvcc -arch=sm_90 FILE.cu' builds it; it "
               "multiplies, checks the product against CSR on the host and prints the time"),
      taken()};

private:
  static std::vector<std::unique_ptr<cl::SubCommand>> makeVerbs() {
    std::vector<std::unique_ptr<cl::SubCommand>> out;
    for (const Verb &verb : cli::verbs())
      out.push_back(std::make_unique<cl::SubCommand>(verb.name, verb.purpose));
    return out;
  }
  ForItsVerbs taken() const { return {verbs}; }
};
} // namespace specmv::cli
