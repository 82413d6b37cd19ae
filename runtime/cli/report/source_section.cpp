// Shows the source that was emitted for the plan, with its constants marked.
#include "runtime/cli/emit/emitted.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"

#include "generator/source/specialized.h"

#include "llvm/ADT/StringExtras.h"

namespace specmv::cli {

static bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

// Returns the length of the number that begins here, with its sign and its exponent; 0 if there is
// none. A digit in a word, as in float4, begins no number.
static size_t numberAt(llvm::StringRef text, size_t at) {
  size_t end = at;
  if (text[end] == '-' && end + 1 < text.size())
    ++end;
  if (!llvm::isDigit(text[end]) || (at > 0 && (isOfWord(text[at - 1]) || text[at - 1] == '.')))
    return 0;
  while (end < text.size() && (isOfWord(text[end]) || text[end] == '.' ||
                               ((text[end] == '-' || text[end] == '+') &&
                                llvm::StringRef("eEpP").contains(text[end - 1]))))
    ++end;
  return end - at;
}

static std::string withMarkedNumbers(llvm::StringRef source) {
  std::string out;
  for (size_t at = 0, plain = 0; at <= source.size(); ++at) {
    const size_t size = at < source.size() ? numberAt(source, at) : 0;
    if (size == 0 && at < source.size())
      continue;
    out += escaped(source.slice(plain, at));
    if (size > 0)
      out += "<mark>" + escaped(source.substr(at, size)) + "</mark>";
    plain = at + size;
    at = size > 0 ? plain - 1 : at;
  }
  return out;
}

// Marks the enumerators of the plan and the elements of its lists.
static std::string withMarkedConstants(llvm::StringRef source) {
  std::string out;
  bool isPlan = false;
  for (const llvm::StringRef line : llvm::split(source, '\n')) {
    isPlan = line.starts_with("struct ") ? line.ends_with("Plan {") : isPlan && line != "};";
    const bool isMarked = isPlan || line.contains("__launch_bounds__");
    const auto [code, comment] = line.split("//");
    out += (isMarked ? withMarkedNumbers(code) : escaped(code)) +
           escaped(line.drop_front(code.size())) + "\n";
  }
  return out;
}

std::string sourceSection(const Reported &r) {
  const Plan &plan = r.chosen().plan;
  const Format &format = *findFormat(plan.format);
  if (format.library)
    return htmlSection("source", "The emitted source",
                       htmlParagraph(escaped(plan.format) + " is a call of " +
                                     escaped(format.library) + ", so there is no source."));
  const Problem &problem = r.analysis.request.problem;
  const Emitted emitted{.a = r.a,
                        .problem = problem,
                        .plan = plan,
                        .layout = r.layout,
                        .steps = format.stepsFor(plan, problem, r.layout),
                        .several = {},
                        .source = format.sourceFor(plan, problem),
                        .signature = r.analysis.seen.profiled.signature,
                        .arch = r.analysis.machine.arch,
                        .call = "specmv report"};
  return htmlSection(
      "source", "The emitted source",
      htmlParagraph("As the compiler gets it. The numbers for which the kernel is specialized are "
                    "marked.") +
          "<pre>" + escaped(headerOf(emitted)) +
          withMarkedConstants(specializedText(emitted.source.text, emitted.arch)) + "</pre>\n");
}

} // namespace specmv::cli
