// Implements emit --standalone: a single-file program for nvcc, and the file of arrays that it
// reads.
#pragma once

#include "runtime/cli/emit/emitted.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

// Returns "X.bin" for "X.cu".
std::string dataFileOf(const std::string &program);

// Returns the source with a main() that reads the arrays, multiplies, checks the product against
// CSR on the host in long double, and prints the time. notApplicable for a plan that partly runs on
// the host.
llvm::Expected<std::string> standaloneProgram(const Emitted &e, const std::string &dataFile);

// Writes a line that identifies the program's own file, the arrays of the layout, and the CSR
// matrix: offsets as 64-bit and columns as 32-bit integers, and the values.
void writeStandaloneData(const Emitted &e, llvm::raw_ostream &out);

} // namespace specmv::cli
