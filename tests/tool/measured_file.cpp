// Writes each candidate of a matrix as bench would, with times in the order of the candidates.
#include "tests/tool/measured_file.h"

namespace json = llvm::json;

namespace tooltest {

std::string benchFile(const std::string &name, const std::string &format, double factor) {
  const json::Value seen = analyzed({kMatrix, "--type", "f32"});
  std::string text = R"({"arch":"sm_90","machine":"NVIDIA H200","request":{}})"
                     "\n";
  for (const json::Value &each : array(seen, "candidates")) {
    if (!flag(each, "applies"))
      continue;
    const double us = kLonger * number(each, "comparedUs") * number(each, "caution") *
                      (tooltest::text(each, "format") == format ? factor : 1);
    json::Object plan{{"params", *find(each, "params")}, {"us", us}, {"verified", true}};
    json::Object line{{"matrix", kMatrix},
                      {"type", "f32"},
                      {"format", tooltest::text(each, "format")},
                      {"plans", json::Array{json::Value(std::move(plan))}}};
    text += llvm::formatv("{0}\n", json::Value(std::move(line))).str();
  }
  text += std::string(R"({"matrix":")") + kMatrix +
          R"(","type":"f32","rows":4000,"cols":4000,"nnz":24121,"summary":true})"
          "\n";
  return fileOf(name, text);
}

json::Object totalOf(const std::string &out, const char *key, const char *value,
                     const char *model) {
  for (const json::Object &line : objectsOf(out))
    if (line.getString("model") == model && line.getString(key) == value)
      return line;
  return {};
}

} // namespace tooltest
