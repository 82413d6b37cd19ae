// The seam: what a storage format must tell so that it is planned, packed, emitted and launched.
#pragma once

#include "generator/layout.h"
#include "generator/parameters.h"
#include "generator/steps.h"
#include "models/base/error.h"
#include "models/gpu.h"
#include "models/plan.h"
#include "models/predict/traffic.h"
#include "models/problem.h"
#include "models/profile/profile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// CUDA source that compiles on its own given the embedded templates.
struct KernelSource {
  std::string text;
};

struct PlanRequest {
  const SparsityProfile &profile;
  const Problem &problem;
  const GpuModel &gpu;
  const Fixed &fixed;
};

// How many of its plans a format that offers many keeps once they are priced.
struct Shortlist {
  size_t most = 0; // 0: all
  // Each plan that is kept has a value of one of these numbers that no faster one has.
  llvm::ArrayRef<const char *> varied = {};
};

struct Format {
  const char *name;
  // Every number of its plans, each named once.
  llvm::ArrayRef<Parameter> parameters;
  // Adds every variant worth pricing for this matrix to a list that is empty so far; when it adds
  // none, the sentence returned says why. What is fixed lies in the ranges of the parameters.
  std::string (*offer)(const PlanRequest &, std::vector<Plan> &);
  // What a product by an offered plan moves and does, by the rates of the request's GPU.
  Traffic (*traffic)(const PlanRequest &, const Plan &);
  // Packs the matrix for a plan whose numbers lie in their ranges. Fails when the matrix does not
  // have what the plan assumes.
  llvm::Expected<Layout> (*pack)(const CsrView &, const Plan &, const Problem &);
  // Empty text where no step is a launch: then nothing is compiled.
  KernelSource (*source)(const Plan &, const Problem &);
  Steps (*steps)(const Plan &, const Problem &, const Layout &);

  // The rates that traffic() reads, beside those that all formats share (shared/rates.h).
  llvm::ArrayRef<const char *> rates = {};
  Shortlist shortlist = {};

  // What products promise. A format that breaks a promise is measured and may be asked for by name,
  // but is never the choice by itself.
  bool isDeterministic = true; // the same bits in every run
  bool paddingReadsX = false;  // so that a NaN in x reaches rows that have no entry there
  // The library that its one step calls, for users; null for formats with kernels of ours.
  const char *library = nullptr;

  // offer() for a request whose fixed numbers may be anything.
  std::string plans(const PlanRequest &request, std::vector<Plan> &out) const;
  // pack() for a plan that may come from anywhere.
  llvm::Expected<Layout> layout(const CsrView &a, const Plan &plan, const Problem &problem) const;
};

// Why a format may not be the choice where it was not asked for by name, or "".
std::string whyNotByItself(const Format &format);

// All formats, one line each in formats.cpp.
llvm::ArrayRef<Format> formats();

// The format of that name; nullptr if there is none.
const Format *findFormat(const std::string &name);

// A plan's outcome for a format: its plans, or the sentence that says why there are none.
struct Offer {
  const Format *format;
  std::vector<Plan> plans;
  std::string why;
  Status whyStatus = Status::notApplicable; // missing where the machine is why
};

// What one format offers. The GPU has the rates that it reads.
Offer offerOf(const Format &format, const PlanRequest &request);

// The formats that have one of these parameters: who fixes ell.width wants ELL.
std::vector<std::string> formatsWith(const Fixed &fixed);

// Refuses, whatever the matrix, a name that no format has, a parameter that none of the named
// formats has (all where none is named), and a value that is no integer where one is wanted.
llvm::Error checkAsked(const std::vector<std::string> &names, const Fixed &fixed);

// The offers of the named formats (all where none is named), in the order of the table. Refuses
// what checkAsked() refuses, and a GPU model that lacks a rate of theirs.
llvm::Expected<std::vector<Offer>> offers(const PlanRequest &request,
                                          const std::vector<std::string> &names);

} // namespace specmv
