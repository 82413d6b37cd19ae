// The C API of specmv for C++20: owners in place of handles, spans in place of pointers and sizes,
// results in place of statuses. It adds no code to the library; specmv.h and the headers of
// specmv_expert.h say what each call means.
//
//   auto a = specmv::Matrix<double>::csr(rows, cols, rowPtr, col, val); // vectors or spans
//   if (!a) return a.error().detail;
//   auto plan = specmv::Plan<double>::create(*a);
//   if (!plan) return plan.error().detail;
//   plan->multiply(x, y);                 // y = A x, vectors on the host
//   plan->multiply(dx, dy, stream);       // on the device: pointers and a stream
//
//   specmv::PlanOptions options;          // the fields of specmvPlanOptions_t
//   options.updatable = 1;
//   auto other = specmv::Plan<double>::create(*a, options);
//   if (const auto ready = other->ready(); ready.has_value() && *ready) ... // not: if (ready)
//
// Nothing here throws, except value() of a result, if exceptions are on and there is no value: it
// throws specmv::Exception, which has the status.
#ifndef SPECMV_HPP
#define SPECMV_HPP

#include "specmv_contexts.hpp"
#include "specmv_fusion.hpp"
#include "specmv_matrices.hpp"
#include "specmv_plans.hpp"

#endif
