// Parses the value of --set.
#include "runtime/cli/option_values.h"

#include "generator/order/order.h"

#include <charconv>

namespace specmv::cli {

namespace {
// The words that --set takes for the coding of values or for the order of rows and columns: `none`
// is "" in a plan, `any` leaves the choice to the tool, and `check` refuses what is no other word.
struct SetWords {
  const char *none, *any;
  llvm::Error (*check)(const std::string &);
};
} // namespace

// `check` speaks of the text of a plan, which has no `any`.
static llvm::Error parseWord(llvm::StringRef name, llvm::StringRef value, const SetWords &words,
                             bool takesAny, std::optional<std::string> &out) {
  out = value == words.none ? "" : value.str();
  if (value == words.any)
    return llvm::Error::success();
  llvm::Error error = words.check(*out);
  if (!error || !takesAny)
    return error;
  auto [status, sentence] = describe(std::move(error));
  return failWith(status,
                  llvm::formatv("{0}; --set also takes {1}={2}", sentence, name, words.any).str());
}

llvm::Error parseFixed(const std::string &text, bool takesAnyOrder, Fixed &fixed,
                       std::optional<std::string> &values, std::optional<std::string> &order) {
  auto [name, value] = llvm::StringRef(text).split('=');
  if (name == "values" && !value.empty())
    return parseWord(name, value, {"plain", kAnyCoding, checkValues}, /*takesAny=*/true, values);
  if (name == "order" && !value.empty())
    return parseWord(name, value, {"none", kAnyOrder, checkOrder}, takesAnyOrder, order);
  double number = 0;
  auto [end, error] = std::from_chars(value.begin(), value.end(), number);
  if (name.empty() || value.empty() || error != std::errc() || end != value.end())
    return fail(Status::badCall,
                "--set '{0}' must have the form name=number, such as ell.width=27, or values=ones, "
                "or order=bfs",
                text);
  fixed.emplace_back(name.str(), number);
  return llvm::Error::success();
}

llvm::Error parsePart(const std::string &text, WorkPart &part) {
  const auto [index, count] = llvm::StringRef(text).split('/');
  if (index.getAsInteger(10, part.index) || count.getAsInteger(10, part.count) || part.index < 1 ||
      part.index > part.count)
    return fail(Status::badCall,
                "--part '{0}' is not K/N, the K-th of N parts; K is a whole number from 1 to N",
                text);
  --part.index;
  return llvm::Error::success();
}

} // namespace specmv::cli
