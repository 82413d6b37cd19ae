// Makes the keys of choices from what they depend on.
#include "runtime/plan/choice_keys.h"

#include "generator/coding/coding.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// Choices for few products and for many differ. isStillLeast() decides within a power of ten.
static std::string productsText(const Request &request) {
  return request.weighsSetup()
             ? " products 1e" +
                   std::to_string(std::to_string(request.expectedProducts).size() - 1) +
                   (request.csrIsLent ? " lent" : "")
             : "";
}

static std::string valuesText(const Request &request) {
  if (request.choosesCoding())
    return " values=any";
  return request.values.empty() ? "" : " values=" + request.values;
}

static std::string orderText(const Request &request) {
  if (request.choosesOrder())
    return " order=any";
  return request.order.empty() ? "" : " order=" + request.order;
}

// The pattern does not tell which codings can store the values. So where a coding may pay, there is
// a choice for each set of codings that values of the pattern have fitted. The facts do not tell
// whether blocks repeat; packing finds out, and a choice whose coding does not fit is made anew.
static std::string fittingText(const ValueFacts &facts) {
  std::string out = " fit";
  for (const Coding *coding : codings())
    if (coding->fits && (!coding->type || *coding->type == facts.type) && coding->fits(facts))
      out += std::string(" ") + coding->name;
  return out;
}

CacheKey choiceKey(const Request &request, const std::string &pattern, const Machine &machine,
                   const ValueFacts *facts) {
  // A prediction depends on the version of specmv and on the model's rates, so both are in the key.
  // The side on which products run is in the key too, since the host has fewer formats to choose
  // from.
  const std::string gpu =
      llvm::formatv("{0} {1} specmv {2} model {3} on the {4}", machine.model->name, machine.arch,
                    SPECMV_VERSION_TEXT, machine.model.digest(), machine.gpu ? "GPU" : "host");
  return wisdomKey(pattern, gpu,
                   problemText(request.problem) + valuesText(request) +
                       (facts ? fittingText(*facts) : "") + orderText(request) +
                       productsText(request));
}

std::vector<CacheKey> keysToStore(const Session &session, const std::string &pattern) {
  std::vector<CacheKey> out{choiceKey(session.request, pattern, session.machine)};
  if (session.request.choosesCoding() && session.knownValueFacts())
    out.push_back(choiceKey(session.request, pattern, session.machine, session.knownValueFacts()));
  return out;
}

} // namespace specmv
