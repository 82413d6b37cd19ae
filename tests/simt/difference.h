// Finds where a layout packed on the host executor differs from the host's.
#pragma once

#include "generator/layout.h"
#include "tests/simt/workspace.h"

namespace specmv::simt {

// Returns the first array in which a layout packed on the host and one packed in the workspace
// differ; "" if there is none.
std::string firstDifference(const Layout &host, const Layout &device,
                            const HostWorkspace &workspace);

} // namespace specmv::simt
