// Feeds one target with mutated input for a few seconds: fuzz TARGET [OPTION of libFuzzer ...].
// libFuzzer has main(); it calls the two functions below.
#include "tests/fuzz/targets.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace specmv::fuzz;

namespace {

const Target *chosen = nullptr;

const Target *targetOf(llvm::StringRef name) {
  for (const llvm::ArrayRef<Target> table : {modelTargets(), storeTargets(), apiTargets()})
    for (const Target &target : table)
      if (name == target.name)
        return &target;
  return nullptr;
}

// Makes a fresh folder with the seeds, so that each run begins the same way.
std::string freshCorpus(const Target &target) {
  std::string folder = std::string("corpus-") + target.name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  int number = 0;
  for (const std::string &seed : target.seeds())
    std::ofstream(folder + "/seed-" + std::to_string(number++), std::ios::binary) << seed;
  return folder;
}

} // namespace

// Makes the arguments that libFuzzer then reads; the last of two equal options counts.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  chosen = *argc > 1 ? targetOf((*argv)[1]) : nullptr;
  if (!chosen) {
    std::fprintf(stderr, "error: fuzz needs the name of a target, such as matrix\n");
    std::exit(2);
  }
  const std::string folder = std::string("fuzz-") + chosen->name;
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder); // where a bad input is left
  const char *seconds = std::getenv("SPECMV_FUZZ_SECONDS");
  static std::vector<std::string> words = {(*argv)[0],
                                           "-seed=1",
                                           "-rss_limit_mb=2048",
                                           "-timeout=20",
                                           "-max_len=65536",
                                           "-print_final_stats=1",
                                           std::string("-max_total_time=") +
                                               (seconds ? seconds : "3")};
  words.insert(words.end(), *argv + 2, *argv + *argc);
  words.push_back(freshCorpus(*chosen));
  static std::vector<char *> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string &word : words)
    pointers.push_back(word.data());
  *argc = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  *argv = pointers.data();
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  chosen->feed({reinterpret_cast<const char *>(data), size});
  return 0;
}
