// Writes and reads a plan's text, which is its identity and which the wisdom stores.
#include "models/plan.h"

#include "models/base/lasting.h"
#include "models/base/text.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace specmv {

template <class List, class Name> static auto *findNumber(List &list, const Name &name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](auto &p) { return p.first == name; });
  return found == list.end() ? nullptr : &found->second;
}

// In a build without assertions, a missing number reads as one that no plan may have.
template <class T> static const T &numberOf(const T *found) {
  assert(found && "the plan has no such number");
  if (found)
    return *found;
  static const Lasting<T> none;
  return *none;
}

const int64_t *Plan::find(const PlanName &name) const { return findNumber(integers, name); }

bool Plan::has(ListKey key) const { return findNumber(lists, key.name); }

int64_t Plan::get(const IntegerKey &key) const { return numberOf(find(key.inPlans)); }

double Plan::get(RealKey key) const { return numberOf(findNumber(reals, key.name)); }

const std::vector<int64_t> &Plan::get(ListKey key) const {
  return numberOf(findNumber(lists, key.name));
}

int64_t Plan::get(const IntegerKey &key, int64_t otherwise) const {
  const int64_t *found = find(key.inPlans);
  return found ? *found : otherwise;
}

void Plan::set(const IntegerKey &key, int64_t value) {
  int64_t *found = findNumber(integers, key.inPlans);
  assert(found && "the plan has no such number");
  if (found)
    *found = value;
}

Plan Plan::with(const IntegerKey &key, int64_t value) const {
  Plan out = *this;
  out.set(key, value);
  return out;
}

constexpr const char *kValues = "values", *kOrder = "order";

// Always has a point or an exponent, which distinguishes it from an integer.
static std::string realText(double value) {
  const std::string text = decimalText(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

static std::string textOf(const std::vector<int64_t> &list) {
  std::string out;
  for (int64_t item : list)
    out += (out.empty() ? "" : ",") + std::to_string(item);
  return "[" + out + "]";
}

std::string Plan::text() const {
  std::string out = format;
  for (const auto &[name, value] : integers)
    out.append(" ").append(std::string_view(name)).append("=") += std::to_string(value);
  for (const auto &[name, value] : reals)
    out += " " + name + "=" + realText(value);
  for (const auto &[name, value] : lists)
    out += " " + name + "=" + textOf(value);
  if (!values.empty())
    out += std::string(" ") + kValues + "=" + values;
  if (!order.empty())
    out += std::string(" ") + kOrder + "=" + order;
  return out;
}

// Parses the text between the brackets of a list. Returns false if it is malformed or too long.
static bool parseList(llvm::StringRef items, std::vector<int64_t> &list) {
  while (!items.empty()) {
    auto [item, rest] = items.split(',');
    int64_t integer = 0;
    if (list.size() == kMaxListLength || item.getAsInteger(10, integer))
      return false;
    list.push_back(integer);
    items = rest;
  }
  return true;
}

// Parses one "name=value" into the plan. Returns false if it is malformed.
static bool parseField(llvm::StringRef field, Plan &plan) {
  auto [name, value] = field.split('=');
  if (name.empty() || value.empty())
    return false;
  if (value.consume_front("["))
    return value.consume_back("]") &&
           parseList(value, plan.lists.emplace_back(name.str(), std::vector<int64_t>{}).second);
  if (name == kValues) {
    plan.values = value.str();
    return value != "plain"; // a plan with plain values does not name them
  }
  if (name == kOrder) {
    plan.order = value.str();
    return value != "none"; // nor does a plan name the order of the matrix
  }
  int64_t integer = 0;
  if (!value.getAsInteger(10, integer)) {
    plan.integers.emplace_back(std::string_view(name), integer);
    return name.size() <= PlanName::kMost;
  }
  double real = 0;
  auto [end, error] = std::from_chars(value.begin(), value.end(), real);
  if (error != std::errc() || end != value.end())
    return false;
  plan.reals.emplace_back(name.str(), real);
  return true;
}

std::optional<Plan> parsePlan(const std::string &text) {
  auto [format, rest] = llvm::StringRef(text).split(' ');
  Plan plan;
  plan.format = format.str();
  while (!rest.empty()) {
    auto [field, tail] = rest.split(' ');
    if (!parseField(field, plan))
      return std::nullopt;
    rest = tail;
  }
  if (plan.format.empty() || plan.text() != text)
    return std::nullopt;
  return plan;
}

} // namespace specmv
