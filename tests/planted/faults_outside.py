"""Faults of what programs meet first: the C++ headers, the adapters, the samples and the scripts."""
from fault import EVERYTHING, Fault

PETSC = ("petsc_test",)


def python(name, old, new, tests):
    """A fault of the package for Python."""
    return Fault(*name, old, new, ("ctest", "-R", "^" + tests + "$"), targets=("specmv_python",))


OUTSIDE = [
    # --- Some that had survived
    Fault("cpp-distance-of-Y", "runtime/include/specmv_plans.hpp",
          "areRows ? count : ofY_, order", "areRows ? count : ofX_, order", ("api_test",)),
    python(("python-distance-of-out", "runtime/adapters/python/products.cpp"),
           'product.ldOut = leadingDimension(out, "out", product.order);',
           "product.ldOut = product.ldX;", "python"),
    python(("python-waits-milliseconds", "runtime/adapters/python/specmv/_plan.py"),
           "self._wait_for(int(seconds * 1000))", "self._wait_for(int(seconds))", "python.*"),
    python(("python-transpose-without-context", "runtime/adapters/python/specmv/_plan.py"),
           "options, self._context, None)", "options, None, None)", "python.*"),
    # --- Others
    python(("python-writes-what-is-read-only", "runtime/adapters/python/products.cpp"),
           '  if (out.isReadOnly)\n    refuse("out is read-only");\n', "", "python"),
    Fault("petsc-block-keeps-old-values", "runtime/adapters/petsc/watch.cpp",
          "  PetscCall(makeBlockStale(offDiagonal));\n", "", ("ctest", "-R", "^petsc.[12]$"),
          targets=PETSC),
    Fault("petsc-plan-of-other-structure", "runtime/adapters/petsc/watch.cpp",
          "  if (same && isSame(state, structure))\n", "  if (state.rows == structure.rows || isSame(state, structure))\n",
          ("ctest", "-R", "^petsc.[12]$"), targets=PETSC),
    Fault("sample-takes-pages-for-ends", "samples/pagerank.c",
          "values[j] = web.rowPtr[j + 1] == web.rowPtr[j];",
          "values[j] = web.rowPtr[j + 1] != web.rowPtr[j];",
          ("ctest", "-R", "^sample.pagerank.gpu$"), targets=EVERYTHING),
    Fault("sample-halo-behind-the-own", "samples/distributed/partition.h",
          "col >= p.before + p.own; }", "col > p.before + p.own; }",
          ("ctest", "-R", "^sample.distributed_cg$"), targets=("distributed_cg", "cg_bound",
                                                              "specmv_tool")),
    Fault("build-folder-of-another-generator", "tests/setup.sh",
          '  grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$cache" &&\n', "",
          ("ctest", "-R", "^package.setup$"), targets=()),
    Fault("build-folder-of-another-checkout", "tests/setup.sh",
          '  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&\n', "",
          ("ctest", "-R", "^package.setup$"), targets=()),
    Fault("failed-tests-not-counted", "tests/run.sh",
          "failed += bad, skipped += unrun", "skipped += unrun", ("ctest", "-R", "^package.run$"),
          targets=()),
    Fault("cpp-headers-not-installed", "runtime/package/install.cmake",
          'REGEX "/specmv[a-z_]*\\\\.h(pp)?$")', 'REGEX "/specmv[a-z_]*\\\\.h$")',
          ("ctest", "-R", "^package.installed$"), targets=("all",)),
]
