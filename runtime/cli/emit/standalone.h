// emit --standalone: a program of one file that nvcc compiles, and the file of arrays that it
// reads.
#pragma once

#include "runtime/cli/emit/emitted.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

// "X.bin" of "X.cu".
std::string dataFileOf(const std::string &program);

// The source with a main() that reads the arrays, multiplies, checks the product against CSR on the
// host in long double, and tells the time. notApplicable for a plan with a part on the host.
llvm::Expected<std::string> standaloneProgram(const Emitted &e, const std::string &dataFile);

// A line that only the program's own file has, the arrays of the layout, then CSR: offsets as
// 64-bit and columns as 32-bit integers, and the values.
void writeStandaloneData(const Emitted &e, llvm::raw_ostream &out);

} // namespace specmv::cli
