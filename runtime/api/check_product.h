// Checks the arguments of products, before any of them is read on the device.
#pragma once

#include "runtime/api/handles.h"

namespace specmv {

// Reads a scalar on the host, at any address.
double valueAt(const void *value, ValueType type);

// Checks what products with one vector and with several have in common.
llvm::Error checkProduct(const specmvPlan &plan, const void *alpha, const CallerVectors &x,
                         const void *beta, const CallerVectors &y);

// Checks z in z = alpha A x + beta y, where z is not y.
llvm::Error checkAdded(const specmvPlan &plan, const CallerVectors &y, const CallerVectors &z);

// Checks a vector and the stream of a product on the host.
llvm::Error checkOnHost(const CallerVectors &v, const void *stream);

} // namespace specmv
