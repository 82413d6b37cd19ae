// Parses the value of --set.
#include "runtime/cli/option_values.h"

#include "generator/order/order.h"

#include <charconv>

namespace specmv::cli {

llvm::Error parseFixed(const std::string &text, Fixed &fixed, std::string &values,
                       std::string &order) {
  auto [name, value] = llvm::StringRef(text).split('=');
  if (name == "values" && !value.empty()) {
    values = value == "plain" ? "" : value.str();
    return value == kAnyCoding ? llvm::Error::success() : checkValues(values);
  }
  if (name == "order" && !value.empty()) {
    order = value == "none" ? "" : value.str();
    return value == kAnyOrder ? llvm::Error::success() : checkOrder(order);
  }
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
