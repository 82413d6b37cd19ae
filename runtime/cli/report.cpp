// Prints messages, writes results, shows progress from a thread of its own, and escapes control
// bytes.
#include "runtime/cli/report.h"

#include "models/base/files.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "models/base/stage.h"
#include "models/base/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace specmv::cli {

// --- Terminal ------------------------------------------------------------------------------------

// Escapes bytes that could control a terminal: file names, SPECs and the contents of files can have
// any byte. Colours are added after that.

static std::vector<std::string> &given() {
  static Lasting<std::vector<std::string>> words;
  return *words;
}

void rememberName(llvm::StringRef name) {
  if (name.contains('\n') && !llvm::is_contained(given(), name))
    given().push_back(name.str());
}

void rememberGiven(int argc, const char *const *argv) {
  given().clear();
  for (int i = 0; i < argc; ++i)
    rememberName(argv[i]);
  for (const char *name : {"SPECMV_CACHE_DIR", "SPECMV_CACHE_PATH", "SPECMV_CUDA_HOME",
                           "SPECMV_DUMP", "SPECMV_GPU_MODEL", "SPECMV_LOG", "SPECMV_MATRICES",
                           "SPECMV_STANDARD_PACK", "XDG_CACHE_HOME", "HOME"})
    rememberName(environment(name));
}

// Returns true if the line end at this position comes from `word`: the text around it is the same
// and is a whole name. Names of matrices and keys are parts of arguments, so the words are compared
// only up to a character that divides names.
static bool isOf(llvm::StringRef word, llvm::StringRef text, size_t at) {
  constexpr llvm::StringLiteral kDividers = "/,:=.\n";
  for (size_t i = word.find('\n'); i != llvm::StringRef::npos; i = word.find('\n', i + 1)) {
    const llvm::StringRef head = word.take_front(i), tail = word.drop_front(i + 1);
    const llvm::StringRef first = head.substr(head.find_last_of(kDividers) + 1),
                          last = tail.substr(0, tail.find_first_of(kDividers));
    llvm::StringRef before = text.take_front(at), after = text.drop_front(at + 1);
    if (first.size() + last.size() > 0 && before.consume_back(first) && after.consume_front(last) &&
        (before.empty() || !llvm::isAlnum(before.back())) &&
        (after.empty() || !llvm::isAlnum(after.front())))
      return true;
  }
  return false;
}

static bool isGiven(llvm::StringRef text, size_t at) {
  return llvm::any_of(given(), [&](const std::string &word) { return isOf(word, text, at); });
}

std::string forTerminal(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  forEachShown(
      text, [&](size_t at) { return !isGiven(text, at); },
      [&](llvm::StringRef piece) { out += piece; });
  return out;
}

// --- Colours

bool obeysEscapes(int fd) {
  return llvm::sys::Process::FileDescriptorIsDisplayed(fd) && environment("TERM") != "dumb";
}

bool hasColours(int fd) { return obeysEscapes(fd) && environment("NO_COLOR").empty(); }

std::string inked(Ink ink, llvm::StringRef text) {
  static constexpr const char *kStarts[] = {"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"};
  return kStarts[static_cast<size_t>(ink)] + text.str() + "\x1b[0m";
}

static std::string withBoldLabel(llvm::StringRef line) {
  const llvm::StringRef label =
      line.take_while([](char c) { return llvm::isAlpha(c) || c == '-'; });
  const bool isLabel = !label.empty() && line.drop_front(label.size()).starts_with("  ");
  return isLabel ? inked(Ink::bold, label) + line.drop_front(label.size()).str() : line.str();
}

std::string withBoldLabels(llvm::StringRef text) {
  std::string out;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    out += withBoldLabel(line);
    out.append(line.size() < text.size() ? 1 : 0, '\n');
    text = rest;
  }
  return out;
}

// --- Report --------------------------------------------------------------------------------------

// Prints the tool's messages, and writes its results; a result that cannot be written is an error.

// The levels of SPECMV_LOG; a message above `level` is not printed.
enum Level : uint8_t { kError, kWarning, kInfo, kDebug };
static constexpr const char *kLevelNames[] = {"error", "warning", "info", "debug"};
static Level level = kInfo;

// Returns "error:" with the terminal's colours.
static std::string kindText(llvm::StringRef kind) {
  std::string text = (kind + ":").str();
  if (!hasColours(STDERR_FILENO))
    return text;
  return inked(kind == "error" ? Ink::red : kind == "warning" ? Ink::yellow : Ink::cyan, text);
}

static void say(const char *kind, llvm::StringRef sentence) {
  const ProgressPause pause;
  llvm::errs() << kindText(kind) << " " << forTerminal(sentence) << "\n";
}

// Prints a sentence that has its own place, file:line:column, before the word error.
static void sayPlaced(llvm::StringRef sentence) {
  const ProgressPause pause;
  const std::string text = forTerminal(sentence);
  const auto [place, rest] = llvm::StringRef(text).split("error:");
  llvm::errs() << place << kindText("error") << rest << (rest.ends_with("\n") ? "" : "\n");
}

void setLevel(bool quiet) {
  const std::string wanted = environment("SPECMV_LOG");
  level = kInfo;
  if (!wanted.empty()) {
    const auto *found = llvm::find(kLevelNames, llvm::StringRef(wanted));
    if (found == std::end(kLevelNames))
      warn(llvm::formatv(
          "SPECMV_LOG = '{0}' is not a valid value; use error, warning, info or debug", wanted));
    else
      level = static_cast<Level>(found - std::begin(kLevelNames));
  }
  if (quiet)
    level = std::min(level, kWarning);
}

void debug(const std::string &sentence) {
  if (level >= kDebug)
    say("note", sentence);
}

void note(const std::string &sentence) {
  if (level >= kInfo)
    say("note", sentence);
}

void warn(const std::string &sentence) {
  if (level >= kWarning)
    say("warning", sentence);
}

void warnAll(const std::vector<std::string> &sentences) {
  for (const std::string &sentence : sentences)
    warn(sentence);
}

static int statusNumber(Status status) {
  if (status == Status::badCall)
    return 2;
  return isMissing(status) ? 3 : 1;
}

// Returns true, and prints the error, if standard output could not be written.
static bool outputIsLost() {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return false;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  say("error", "cannot write to standard output: " + reason);
  return true;
}

void reportLostOutputAtExit() {
  // These are constructed first, so that they are destroyed after the handler ran.
  llvm::outs();
  llvm::errs();
  std::atexit([] {
    if (outputIsLost())
      std::_Exit(1);
    llvm::errs().clear_error(); // the result does not depend on notes that nobody could get
  });
}

int exitStatus(llvm::Error error) {
  if (outputIsLost()) {
    llvm::consumeError(std::move(error));
    return 1;
  }
  if (!error)
    return 0;
  auto [status, sentence] = describe(std::move(error));
  if (llvm::StringRef(sentence).split('\n').first.contains(": error: "))
    sayPlaced(sentence);
  else
    say("error", sentence);
  return statusNumber(status);
}

bool isStandardOutput(const std::string &file) { return file.empty() || file == "-"; }

llvm::Error writeResult(const std::string &file,
                        const std::function<void(llvm::raw_ostream &)> &write) {
  if (!isStandardOutput(file)) {
    llvm::outs().flush(); // the file may be /dev/stdout
    return writeWholeFile(file, write);
  }
  const ProgressPause pause;
  write(llvm::outs());
  llvm::outs().flush();
  return llvm::Error::success();
}

llvm::Error writeResult(const std::string &file, llvm::StringRef bytes) {
  return writeResult(file, [&](llvm::raw_ostream &out) { out << bytes; });
}

llvm::Error writePack(const std::string &file, llvm::StringRef bytes) {
  if (isStandardOutput(file))
    return writeResult(file, bytes);
  return writeWholeFile(
      file, [&](llvm::raw_ostream &out) { out << bytes; }, 0644);
}

llvm::Error writeText(const std::string &file, llvm::StringRef text) {
  const std::string plain = forTerminal(text);
  const bool isColoured = isStandardOutput(file) && hasColours(STDOUT_FILENO);
  return writeResult(file, isColoured ? withBoldLabels(plain) : plain);
}

bool isOneFile(const std::string &a, const std::string &b) {
  namespace fs = llvm::sys::fs;
  if (fs::equivalent(a, b))
    return true;
  llvm::SmallString<256> first(a), second(b);
  for (llvm::SmallString<256> *path : {&first, &second}) {
    if (fs::make_absolute(*path))
      return a == b;
    llvm::sys::path::remove_dots(*path, /*remove_dot_dot=*/true);
  }
  return first == second;
}

llvm::Error checkApart(const char *what, const std::string &file, const std::string &output) {
  if (!isStandardOutput(file) && !isStandardOutput(output) && isOneFile(file, output))
    return fail(Status::badCall, "{0} {1} and -o {2} name the same file; name two different files",
                what, file, output);
  if (file != "-" || !isStandardOutput(output))
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} - writes to standard output, and so does the other result; name a file for one",
              what);
}

// --- Progress ------------------------------------------------------------------------------------

// Writes the line of progress from a thread of its own, so that the work does not wait for it.

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
