// Compares the size that the ELF headers of a library imply with the size of its file.
#include "runtime/cuda/whole_library.h"

#include "runtime/store/read_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace specmv {

// Reads a structure of the file.
template <class T> static bool readAt(const ReadFile &file, uint64_t offset, T &out) {
  const auto bytes = file.read(offset, sizeof out);
  if (bytes)
    std::memcpy(&out, bytes->data(), sizeof out);
  return bytes.has_value();
}

// Returns where `size` bytes from `offset` end; the largest number if that overflows.
static uint64_t endOf(uint64_t offset, uint64_t size) {
  return offset + std::min(size, UINT64_MAX - offset);
}

// Returns how many bytes the file must have for the header's tables and the mapped segments.
static uint64_t promisedBytes(const ReadFile &file, const Elf64_Ehdr &header) {
  const uint64_t programs = endOf(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  uint64_t promised =
      std::max(programs, endOf(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize));
  for (uint64_t i = 0; i < header.e_phnum && programs <= file.size(); ++i) {
    Elf64_Phdr segment{};
    if (!readAt(file, header.e_phoff + i * sizeof segment, segment))
      break; // the file was truncated meanwhile
    if (segment.p_type == PT_LOAD)
      promised = std::max(promised, endOf(segment.p_offset, segment.p_filesz));
  }
  return promised;
}

std::string whyNotWhole(const std::string &path) {
  const auto file = ReadFile::open(path);
  if (!file)
    return llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)
               ? "this is not a regular file"
               : "";
  Elf64_Ehdr header{};
  if (!readAt(*file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  const uint64_t promised = promisedBytes(*file, header);
  if (promised <= file->size())
    return "";
  return llvm::formatv(
      "the file has {0} bytes, but its ELF headers describe {1}; it is truncated, so reinstall it",
      file->size(), promised);
}

} // namespace specmv
