// Tests which files the paths of a context name, wherever the program goes.
#include "tests/api/api_testing.h"
#include "tests/runtime/scratch_directory.h"

#include <filesystem>
#include <memory>

using namespace apitest;

namespace {

const Csr<int32_t, double> kInFolders = randomCsr<int32_t, double>(60, 50, 4);

// All warnings.
struct Warned {
  std::string all;
  static void hear(void *user, specmvLogLevel_t, const char *sentence) {
    static_cast<Warned *>(user)->all += std::string(sentence) + "\n";
  }
  bool has(const std::string &text) const { return all.find(text) != std::string::npos; }
};

specmvContextOptions_t warningsTo(Warned &warned) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.log = Warned::hear;
  options.logUser = &warned;
  return options;
}

specmvPlanOptions_t planIn(specmvContext_t context) {
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  return options;
}

// Changes the working directory until the end of the scope.
class Inside {
public:
  explicit Inside(const std::string &folder) { std::filesystem::current_path(folder); }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  ~Inside() { std::filesystem::current_path(before_); }

private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

} // namespace

// A former bug: after chdir() the context made another cache, and found no packs.
TEST_CASE("relative paths of a context are those of the folder in which it was made") {
  const ScratchDirectory scratch("specmv-relative");
  const std::string home = scratch.path() + "/home", away = scratch.path() + "/away";
  makeFolders(home + "/packs/objects");
  makeFolders(away);
  writeFile(home + "/no.pack", "not a pack");
  Warned warned;
  specmvContextOptions_t options = warningsTo(warned);
  options.cacheDirectory = "cache";
  options.packs = "packs:no.pack:";
  std::unique_ptr<Context> context;
  {
    const Inside inside(home);
    context = std::make_unique<Context>(options);
  }
  const Inside inside(away);
  for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW}) {
    specmvPlanOptions_t asked = planIn(*context);
    asked.start = start;
    const Plan plan(kInFolders, asked);
    CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(std::filesystem::exists(home + "/cache/wisdom"));
  CHECK(std::filesystem::is_empty(away));
  CHECK(warned.has(home + "/no.pack")); // found, and no pack
  CHECK_FALSE(warned.has("No such file"));
  CHECK(warned.has("there is no name")); // behind the last colon
}

TEST_CASE("paths of a context in a folder whose name has a colon stay apart") {
  const ScratchDirectory scratch("specmv-a:b");
  writeFile(scratch.path() + "/no.pack", "not a pack");
  Warned warned;
  specmvContextOptions_t options = warningsTo(warned);
  options.cacheDirectory = "cache", options.packs = "no.pack";
  const Inside inside(scratch.path());
  const Context context(options);
  const Plan plan(kInFolders, planIn(context));
  CHECK(std::filesystem::exists(scratch.path() + "/cache/wisdom"));
  CHECK(warned.has(scratch.path() + "/no.pack"));
  CHECK_FALSE(warned.has("No such file"));
}
