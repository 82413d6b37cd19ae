// Compares the bytes of the chosen plan's arrays with those of CSR.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/svg.h"

#include "models/base/units.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace specmv::cli {

namespace {
struct NamedBytes {
  std::string name, type;
  int64_t count, bytes;
};
} // namespace

// Returns CSR with 32-bit indices, as SetupSize counts it.
static std::vector<NamedBytes> csrArrays(const Reported &r) {
  const SetupSize size = r.size();
  return {{"rowPtr", "i32", size.rows + 1, (size.rows + 1) * size.indexBytes},
          {"col", "i32", size.nnz, size.nnz * size.indexBytes},
          {"val", nameOf(r.type()), size.nnz, size.nnz * size.valueBytes}};
}

static std::vector<NamedBytes> planArrays(const Layout &layout) {
  std::vector<NamedBytes> out;
  for (const LayoutArray &array : layout.arrays)
    if (!array.isSpare)
      out.push_back({array.name, nameOf(array.type), array.count(), array.size()});
  return out;
}

// Draws the arrays end to end. Those with room for it get their names.
static void drawArrays(Svg &svg, const std::vector<NamedBytes> &arrays, double y, double scale) {
  constexpr double kHeight = 26, kBegin = 104, kOfLetter = 7.5;
  double x = kBegin;
  const char *kind = "piece even";
  for (const NamedBytes &array : arrays) {
    const double width = static_cast<double>(array.bytes) * scale;
    svg.box({x, y}, width, kHeight, kind,
            array.name + ": " + shortBytes(static_cast<double>(array.bytes)));
    if (width > kOfLetter * static_cast<double>(array.name.size() + 1))
      svg.text({x + width / 2, y + 17}, Anchor::middle, array.name, "inside");
    x += width;
    kind = llvm::StringRef(kind).ends_with("even") ? "piece odd" : "piece even";
  }
}

static int64_t totalBytes(const std::vector<NamedBytes> &arrays) {
  int64_t sum = 0;
  for (const NamedBytes &array : arrays)
    sum += array.bytes;
  return sum;
}

static std::string bytesChart(const Reported &r) {
  const std::vector<NamedBytes> csr = csrArrays(r), plan = planArrays(r.layout);
  constexpr double kRoom = 770;
  const double scale =
      kRoom / static_cast<double>(std::max<int64_t>({1, totalBytes(csr), totalBytes(plan)}));
  Svg svg(900, 84, "bytes of the arrays of CSR and of the plan");
  svg.text({96, 27}, Anchor::end, "CSR");
  drawArrays(svg, csr, 10, scale);
  svg.text({96, 65}, Anchor::end, r.chosen().plan.format, "label");
  drawArrays(svg, plan, 48, scale);
  return svg.str();
}

static void addArrays(HtmlTable &table, const std::string &whose,
                      const std::vector<NamedBytes> &arrays, int64_t csrBytes) {
  const auto share = [&](int64_t bytes) {
    return llvm::formatv("{0:f3}", static_cast<double>(bytes) / static_cast<double>(csrBytes))
        .str();
  };
  for (const NamedBytes &array : arrays)
    table.rows.push_back(
        {{escaped(whose), "<code>" + escaped(array.name) + "</code>", array.type,
          groupedCount(array.count), groupedCount(array.bytes), share(array.bytes)}});
  const int64_t all = totalBytes(arrays);
  table.rows.push_back({{escaped(whose), "all", "", "", groupedCount(all), share(all)}, true});
}

std::string bytesSection(const Reported &r) {
  HtmlTable table{{{"of", Column::text},
                   {"array", Column::text},
                   {"type", Column::text},
                   {"elements", Column::number},
                   {"bytes", Column::number},
                   {"of CSR", Column::number}}};
  const int64_t csr = r.size().csrBytes();
  addArrays(table, "CSR", csrArrays(r), csr);
  addArrays(table, r.chosen().plan.format, planArrays(r.layout), csr);
  std::string scratch;
  for (const LayoutArray &array : r.layout.scratch)
    scratch += (scratch.empty() ? "Working memory besides: " : ", ") + array.name + " " +
               shortBytes(static_cast<double>(array.size()));
  return htmlSection(
      "bytes", "Bytes by array",
      htmlFigure(bytesChart(r), "Both bars have the same scale. A plan's arrays have "
                                "places for all lanes and slices; those without "
                                "an entry are padding.") +
          table.str() + (scratch.empty() ? "" : htmlParagraph(escaped(scratch) + ".")));
}

} // namespace specmv::cli
