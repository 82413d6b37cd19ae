// Checks the options of calibrate.
#include "runtime/cli/calibrate/check.h"

#include "models/base/error.h"
#include "runtime/cli/report.h"

namespace specmv::cli {

llvm::Error checkCalibration(const Options &options) {
  if (!options.arguments.empty())
    return fail(Status::badCall, "calibrate chooses its matrices itself; leave out {0}",
                options.arguments.front());
  if (!options.measured.empty() && !options.resume.empty())
    return fail(Status::badCall,
                "--measured {0} takes no measurements, so there is nothing to resume; leave out "
                "--resume {1}",
                options.measured, options.resume);
  if (const std::string useless = optionBeside(options, {"measured", "keep", "gpu", "o", "quiet"});
      !useless.empty() && !options.measured.empty())
    return fail(Status::badCall,
                "--measured {0} takes no measurements, so {1} changes nothing; leave it out",
                options.measured, useless);
  if (!options.part.isAll() &&
      (options.resume.empty() || options.keep || !isStandardOutput(options.output)))
    return fail(Status::badCall,
                "--part measures a part of what a model is fitted to, and writes no model: name "
                "the file for its measurements with --resume FILE, and leave out -o and --keep");
  if (!options.resume.empty() && options.resume == options.output)
    return fail(
        Status::badCall,
        "-o {0} would overwrite the measurements in that file; name another file for the model",
        options.output);
  if (options.measured.empty() && options.resume.empty() && !options.keep &&
      isStandardOutput(options.output))
    return fail(
        Status::badCall,
        "calibrate keeps its measurements in a file, so that it can continue after an "
        "interruption; name the model with -o FILE (measurements in FILE.jsonl), or the "
        "measurements with --resume FILE.jsonl, or keep both in the cache folder with --keep");
  return llvm::Error::success();
}

} // namespace specmv::cli
