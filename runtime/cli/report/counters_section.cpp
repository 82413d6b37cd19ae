// Shows what the hardware counted in a product by the chosen plan.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"

namespace specmv::cli {

std::string countersSection(const Reported &r) {
  const char *const title = "What the GPU counted";
  const KernelProfile &counted = *r.counted;
  if (!counted.why.empty())
    return htmlSection(
        "counters", title,
        htmlParagraph("The counters of the GPU were not read: " + escaped(counted.why) + "."));
  HtmlTable table{{{"of one product by the choice", Column::text}, {"", Column::number}}};
  for (const MetricColumn &column : metricColumns())
    table.rows.push_back({{escaped(column.title), cellOf(column, counted.metrics)}});
  return htmlSection("counters", title,
                     table.str() +
                         htmlParagraph("All kernels of the product together, caches warm; the time "
                                       "is without counters."));
}

} // namespace specmv::cli
