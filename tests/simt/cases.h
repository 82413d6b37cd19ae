// Defines the products to try: the table of formats x plans x types x matrices. simt_emit walks it
// to compile the kernels and simt_test to run them, so both see the same sources. New formats in
// the table need no change here.
#pragma once

#include "generator/coding/coding.h"
#include "generator/format.h"
#include "tests/simt/matrices.h"
#include "tests/simt/turns.h"

#include <string>
#include <vector>

namespace specmv::simt {

struct TestPlan {
  Plan plan;
  bool isOffered;         // without any fixed parameter
  bool isGeneral = false; // run by the format's general kernel (Format::general)
};

struct TestCase {
  const Format *format;
  const TestMatrix *matrix;
  Problem problem;
  TestPlan plan;
  std::string source; // empty for a format of library calls, which has no kernel to run here

  std::string name() const;
  // The plan of the kernel; the matrix is packed for `plan`.
  Plan kernelPlan() const { return plan.isGeneral ? format->general(plan.plan) : plan.plan; }
};

// Returns true if the environment's variable of this name lists the format, as ell,sell does, or is
// not set.
bool isListed(const char *variable, const char *format);

// The matrices of the cases: the adversarial ones and a permuted one.
std::vector<TestMatrix> caseMatrices();

// Returns the plan with 64-bit indices, as for a matrix of more than 2^31 entries and columns,
// which no test could hold.
Plan widened(Plan plan);

// Cases over these matrices, in a fixed order; the matrices must outlive them. Every plan that is
// offered is among them, and a sample of the plans with numbers that are fixed, and of those run by
// general kernels (turns.h); with a step of 1 all of them. SPECMV_SIMT_FORMATS=coo,hyb leaves out
// the other formats in this and the tables below.
std::vector<TestCase> testCases(const std::vector<TestMatrix> &matrices, size_t step = kSampleStep);

// A sample of products with several vectors, for the formats that support them.
std::vector<TestCase> severalCases(const std::vector<TestMatrix> &matrices);

// A case whose values have a coding other than plain, and the same case with plain values.
struct CodedCase {
  const Coding *coding;
  TestCase coded, plain;
};
// Cases of all codings with all formats that have kernels, for one vector and several, each on a
// sample of the matrices.
std::vector<CodedCase> codedCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
