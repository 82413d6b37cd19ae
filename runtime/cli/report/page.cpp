// Puts the sections about a matrix together on a page.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/page_shell.h"
#include "runtime/cli/report/sections.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

static std::string headerOf(const Reported &r) {
  const CsrMatrix &m = r.a.matrix;
  return llvm::formatv("{0} x {1}, {2} entries, {3}; signature {4}; planned for {5} ({6}); "
                       "specmv {7}",
                       groupedCount(m.rows), groupedCount(m.cols), groupedCount(m.nnz()),
                       nameOf(r.type()), r.analysis.seen.profiled.signature, r.gpu().name,
                       r.analysis.machine.arch, SPECMV_VERSION_TEXT);
}

std::string reportPage(const Reported &r) {
  std::vector<PageSection> sections{{"why", "Why", whySection(r)},
                                    {"spy", "Entries", spySection(r)},
                                    {"rows", "Rows", rowsSection(r)},
                                    {"structure", "Structure", structureSection(r)},
                                    {"candidates", "Candidates", candidatesSection(r)},
                                    {"roofline", "Roofline", rooflineSection(r)}};
  if (r.counted)
    sections.push_back({"counters", "Counters", countersSection(r)});
  llvm::append_range(sections, std::vector<PageSection>{{"bytes", "Bytes", bytesSection(r)},
                                                        {"setup", "Set-up", setupSection(r)},
                                                        {"papers", "Papers", papersSection(r)},
                                                        {"source", "Source", sourceSection(r)}});
  return wholePage(r.a.matrix.name, headerOf(r), sections);
}

} // namespace specmv::cli
