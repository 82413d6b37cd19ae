// Writes the line of progress from a thread of its own, so that the work does not wait for it.
#include "runtime/cli/progress.h"

#include "models/base/lasting.h"
#include "models/base/stage.h"
#include "models/base/units.h"
#include "runtime/cli/terminal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace specmv::cli {

// Shorter work shows no progress.
constexpr std::chrono::milliseconds kSilence{2000}, kBetween{200};

namespace {
struct Shown {
  std::recursive_mutex terminal; // guards writing to the terminal, and isThere
  bool isThere = false;          // a line is on the terminal
  std::mutex mutex;              // guards the rest
  std::condition_variable ended;
  bool hasEnded = false;
  std::vector<const Stage *> stages = {};
  std::thread thread = {};
};
} // namespace

// Null while no progress is shown. Set and reset by ProgressLine, in main's thread.
static std::unique_ptr<Shown> &shown() {
  static Lasting<std::unique_ptr<Shown>> it;
  return *it;
}

static size_t widthOfTerminal() {
  constexpr size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsual;
}

// Returns "reading A.mtx: 0.4 GB of 1.7 GB" or "compiling kernels: 3 of 17".
static std::string stageText(const Stage &stage) {
  std::string text = stage.what;
  const auto number = [&](int64_t n) {
    return stage.counts == Stage::Counts::bytes ? shortBytes(static_cast<double>(n))
                                                : std::to_string(n);
  };
  if (stage.counts != Stage::Counts::nothing)
    text += ": " + number(stage.done());
  if (stage.counts != Stage::Counts::nothing && stage.all > 0)
    text += " of " + number(stage.all);
  return forTerminal(text);
}

// Returns the text of the stage that knows its progress, otherwise of the one that began last.
static std::string lineNow(Shown &s) {
  const std::lock_guard lock(s.mutex);
  if (s.stages.empty())
    return "";
  const auto counting = llvm::find_if(
      s.stages, [](const Stage *stage) { return stage->counts != Stage::Counts::nothing; });
  return stageText(counting == s.stages.end() ? *s.stages.back() : **counting);
}

static void erase(Shown &s) {
  if (s.isThere)
    llvm::errs() << "\r\x1b[K";
  s.isThere = false;
}

static void rewrite(Shown &s) {
  const std::lock_guard lock(s.terminal);
  const std::string line = lineNow(s);
  erase(s);
  if (line.empty())
    return;
  llvm::errs() << llvm::StringRef(line).take_front(widthOfTerminal() - 1);
  s.isThere = true;
}

static void keepShowing(Shown &s) {
  auto next = std::chrono::steady_clock::now() + kSilence;
  std::unique_lock lock(s.mutex);
  while (!s.ended.wait_until(lock, next, [&] { return s.hasEnded; })) {
    lock.unlock();
    rewrite(s);
    next = std::chrono::steady_clock::now() + kBetween;
    lock.lock();
  }
}

static void beginStage(const Stage &stage) {
  const std::lock_guard lock(shown()->mutex);
  shown()->stages.push_back(&stage);
}

static void endStage(const Stage &stage) {
  const std::lock_guard lock(shown()->mutex);
  llvm::erase(shown()->stages, &stage);
}

static constexpr StageWatch kWatchStages{beginStage, endStage};

ProgressLine::ProgressLine(bool quiet) {
  if (quiet || !obeysEscapes(STDERR_FILENO))
    return;
  shown() = std::make_unique<Shown>();
  try {
    shown()->thread = std::thread([] { keepShowing(*shown()); });
  } catch (const std::system_error &) { // no thread, so no progress line
    shown().reset();
    return;
  }
  stageWatch = &kWatchStages;
}

ProgressLine::~ProgressLine() {
  if (!shown())
    return;
  stageWatch = nullptr;
  {
    const std::lock_guard lock(shown()->mutex);
    shown()->hasEnded = true;
  }
  shown()->ended.notify_all();
  shown()->thread.join();
  erase(*shown());
  shown()->stages.clear();
}

ProgressPause::ProgressPause() {
  if (!shown())
    return;
  shown()->terminal.lock();
  erase(*shown());
}

ProgressPause::~ProgressPause() {
  if (shown())
    shown()->terminal.unlock();
}

} // namespace specmv::cli
