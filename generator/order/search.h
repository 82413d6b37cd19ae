// Makes the order of a matrix on a device, equal to that of the host (order.h).
#pragma once

#include "generator/order/order.h"
#include "generator/setup/workspace.h"

namespace specmv {

// The source of the kernels that search through matrices with these indices.
const KernelSource &searchSource(IndexType index);

// Makes the order of a valid matrix. Fails where checkOrdered() does.
llvm::Expected<Order> orderOn(Workspace &workspace);

} // namespace specmv
