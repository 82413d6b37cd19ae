// Appends JSON lines with plain writes, one group of lines a call, and reads back what is there.
#include "runtime/cli/bench_log.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace specmv::cli {

namespace json = llvm::json;

BenchRecord recordOf(const json::Object &summary) {
  return {summary.getString("matrix").value_or("").str(),
          summary.getString("type").value_or("").str(), summary.getInteger("csrBytes").value_or(0),
          summary.getNumber("ratio").value_or(0)};
}

static llvm::Error cannot(const char *what, const std::string &path) {
  return fail(Status::badInput, "cannot {0} '{1}': {2}", what, path, std::strerror(errno));
}

BenchLog::BenchLog(BenchLog &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), isEmpty_(other.isEmpty_), path_(std::move(other.path_)),
      records_(std::move(other.records_)) {}

BenchLog::~BenchLog() {
  if (fd_ > STDOUT_FILENO)
    close(fd_);
}

llvm::Expected<BenchLog> BenchLog::create(const std::string &path) {
  BenchLog log;
  log.path_ = path.empty() || path == "-" ? "standard output" : path;
  log.fd_ = log.path_ == path ? open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                              : STDOUT_FILENO;
  if (log.fd_ < 0)
    return cannot("write", path);
  return log;
}

// The records of a bench's text, and in `kept` how many of its bytes end with a summary.
static llvm::Expected<std::vector<BenchRecord>> recordsOf(llvm::StringRef text,
                                                          const std::string &path, size_t &kept) {
  std::vector<BenchRecord> records;
  int64_t number = 0;
  for (llvm::StringRef rest = text; rest.contains('\n');) {
    const auto [line, tail] = rest.split('\n');
    ++number;
    auto value = json::parse(line);
    const json::Object *object = value ? value->getAsObject() : nullptr;
    if (!object) {
      if (!value)
        llvm::consumeError(value.takeError());
      return fail(Status::badInput, "{0}:{1}:1: error: this is no line of a bench", path, number);
    }
    if (object->getBoolean("summary").value_or(false)) {
      records.push_back(recordOf(*object));
      kept = text.size() - tail.size();
    }
    rest = tail;
  }
  return records;
}

llvm::Expected<BenchLog> BenchLog::resume(const std::string &path) {
  BenchLog log;
  log.path_ = path;
  log.fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log.fd_ < 0)
    return cannot("write", path);
  auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!bytes)
    return fail(Status::badInput, "cannot read '{0}': {1}", path, bytes.getError().message());
  size_t kept = 0;
  auto records = recordsOf((*bytes)->getBuffer(), path, kept);
  if (!records)
    return records.takeError();
  log.records_ = std::move(*records);
  log.isEmpty_ = kept == 0;
  if (ftruncate(log.fd_, static_cast<off_t>(kept)) != 0)
    return cannot("shorten", path);
  return log;
}

bool BenchLog::has(const std::string &matrix, const std::string &type) const {
  return llvm::any_of(records_, [&](const BenchRecord &record) {
    return record.matrix == matrix && record.type == type;
  });
}

llvm::Error BenchLog::append(const std::string &lines) {
  for (size_t at = 0; at < lines.size();) {
    const ssize_t written = write(fd_, lines.data() + at, lines.size() - at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return cannot("write", path_);
    at += static_cast<size_t>(written);
  }
  isEmpty_ = false;
  return llvm::Error::success();
}

} // namespace specmv::cli
