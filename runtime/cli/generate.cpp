// The verb generate: writes a matrix of a family as a Matrix Market file, or lists the families.
#include "runtime/cli/json.h"
#include "runtime/cli/options.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "models/lab/families/families.h"
#include "models/lab/families/twins.h"
#include "models/lab/matrix_market/matrix_market.h"

namespace specmv::cli {

static llvm::json::Array familiesJson() {
  llvm::json::Array list;
  for (const Family &family : families()) {
    llvm::json::Object keys;
    for (const SpecKey &key : family.keys)
      keys[key.name] = llvm::json::Object{{"meaning", key.meaning}, {"default", key.fallback}};
    list.push_back(llvm::json::Object{{"name", family.name},
                                      {"description", family.description},
                                      {"keys", std::move(keys)},
                                      {"unseen", family.unseen}});
  }
  return list;
}

static void printFamilies(llvm::raw_ostream &out) {
  for (const Family &family : families()) {
    out << family.name << ": " << family.description
        << (family.unseen ? " (never used for a fit)" : "") << "\n";
    for (const SpecKey &key : family.keys) {
      out << llvm::formatv("    {0,-8} {1} (default {2})\n", key.name, key.meaning, key.fallback);
      if (!key.choices.empty())
        out << llvm::formatv("    {0,-8} one of {1}\n", "", key.choices);
    }
  }
}

// Turns `NAME:key=value,...` or `NAME key=value ...` into a SPEC.
static std::string specOf(const std::vector<std::string> &arguments) {
  std::string spec = arguments.front();
  const char *separator = llvm::StringRef(spec).contains(':') ? "," : ":";
  for (size_t i = 1; i < arguments.size(); ++i) {
    spec += separator + arguments[i];
    separator = ",";
  }
  return spec;
}

llvm::Error generateVerb(const Options &options) {
  if (options.list && !options.arguments.empty())
    return fail(Status::badCall,
                "generate --list lists all families, and takes no SPEC such as {0}; leave out one "
                "of them",
                options.arguments.front());
  if (options.list)
    return writeResult(options.output, [&](llvm::raw_ostream &out) {
      if (options.json)
        out << jsonDocument("generate", llvm::json::Object{{"families", familiesJson()}});
      else
        printFamilies(out);
    });
  if (options.arguments.empty())
    return fail(Status::badCall, "generate needs a SPEC, such as stencil5:n=100; 'specmv generate "
                                 "--list' lists the families");
  if (options.output.empty())
    return fail(Status::badCall,
                "generate needs an output file: -o A.mtx, or -o - for standard output");
  if (options.json)
    if (llvm::Error error = checkApart("-o", options.output, ""))
      return error;
  auto matrix = generateFamily(specOf(options.arguments));
  if (!matrix)
    return matrix.takeError();
  // The file records its SPEC, because files get separated from the call that made them.
  std::vector<std::string> comments{matrix->name};
  const std::string twin = twinNote(matrix->name);
  if (!twin.empty())
    comments.push_back(twin);
  const bool toOutput = isStandardOutput(options.output);
  if (toOutput)
    writeMatrixMarket(*matrix, llvm::outs(), comments);
  else if (llvm::Error error = writeMatrixMarket(*matrix, options.output, comments))
    return error;
  if (options.json)
    return writeResult("", [&](llvm::raw_ostream &out) {
      llvm::json::Object document = jsonOf(*matrix);
      document["file"] = llvm::json::fixUTF8(options.output);
      if (!twin.empty())
        document["twin"] = twin;
      out << jsonDocument("generate", std::move(document));
    });
  note(llvm::formatv("{0}: {1} x {2}, {3} entries{4}",
                     toOutput ? "standard output" : options.output, matrix->rows, matrix->cols,
                     matrix->nnz(), (twin.empty() ? "" : ", ") + twin));
  return llvm::Error::success();
}

} // namespace specmv::cli
