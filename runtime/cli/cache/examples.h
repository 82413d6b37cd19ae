// What `specmv cache --help` shows below the options.
#pragma once

namespace specmv::cli {

inline constexpr char kCacheExamples[] = R"(
cache WORD, where WORD is one of:
  list              an entry a line: kind, id, architecture, bytes, time since its use, and
                    the format, of a choice with the matrix's signature
  size              bytes, entries and the bound
  verify            read all entries, and the packs and folders of SPECMV_CACHE_PATH; the exit
                    status is 1 if any is bad
  prune [BYTES]     remove what was not used for longest until the bound, or BYTES, holds
  clear             remove all entries
  export FILE       write all compiled kernels as a pack
  import FILE       put the entries of a pack into your cache
  path              your folder, then the packs and folders that are only read

Examples:
  specmv cache list --json
  specmv cache prune 200M
  specmv cache export site.pack && SPECMV_CACHE_PATH=site.pack specmv run A.mtx
  SPECMV_CACHE_DIR=/site/kernels specmv cache verify
)";

} // namespace specmv::cli
