# Writes the manual pages at the time of the installation: specmv(1) from what the tool says of itself
# and README's table of variables, specmv(3) and a link for each function from the C header. Nothing is
# written twice, so nothing grows old.
# Wants SPECMV_TOOL (may be empty), SPECMV_SOURCE, SPECMV_VERSION and MAN_FOLDER.

# Text that roff takes as it stands.
function(specmv_roff out text)
  string(REPLACE "\\" "\\e" text "\n${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "\n([.'])" "\n\\\\&\\1" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(specmv_help out)
  execute_process(COMMAND ${SPECMV_TOOL} ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  specmv_roff(text "${text}")
  set(${out} ".nf${text}.fi\n" PARENT_SCOPE)
endfunction()

# README's rows | `NAME` | meaning |.
function(specmv_variables out)
  file(READ ${SPECMV_SOURCE}/README.md text)
  string(FIND "${text}" "\n## Environment" begin)
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\n| `" begin)
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\n\n" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  specmv_roff(text "${text}")
  string(REGEX REPLACE "\n\\| `([A-Z_]+)` \\| ([^\n]*) \\|" "\n.TP\n.B \\1\n\\2" text "${text}")
  string(REPLACE "`" "" text "${text}")
  string(REPLACE "~" "\\(ti" text "${text}")
  set(${out} "${text}\n" PARENT_SCOPE)
endfunction()

function(specmv_page section title text)
  file(WRITE ${MAN_FOLDER}/man${section}/${title}.${section}
       ".TH SPECMV ${section} \"\" \"specmv ${SPECMV_VERSION}\"\n${text}")
endfunction()

function(specmv_tool_page)
  specmv_help(overview)
  string(REGEX MATCHALL "\n  [a-z]+ " verbs "${overview}")
  set(pages "")
  foreach(verb IN LISTS verbs)
    string(STRIP "${verb}" verb)
    if(NOT verb STREQUAL "specmv") # an example
      specmv_help(help ${verb})
      string(APPEND pages ".SS ${verb}\n${help}")
    endif()
  endforeach()
  specmv_variables(variables)
  specmv_page(1 specmv ".SH NAME\nspecmv \\- sparse matrix times vector by a GPU kernel made for the matrix
.SH SYNOPSIS\n.B specmv\n.I verb\n[options] [arguments]\n.SH DESCRIPTION\n${overview}.SH VERBS\n${pages}\
.SH ENVIRONMENT${variables}.SH SEE ALSO\n.BR specmv (3)\n")
endfunction()

# The header from its first section on, without what only compilers read.
function(specmv_declarations out)
  file(READ ${SPECMV_SOURCE}/runtime/include/specmv.h text)
  string(FIND "${text}" "\n/* --- " begin)
  string(FIND "${text}" "\n#ifdef __cplusplus" end REVERSE)
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${text}" ${begin} ${length} declarations)
  string(FIND "${text}" "\n/* The simple way" begin)
  string(FIND "${text}" "\n/* clang-format on" end)
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${text}" ${begin} ${length} story)
  string(REPLACE "SPECMV_API " "" text "${story}\n${declarations}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Comments that begin a line become paragraphs, their headlines sections; the rest is code. Lines stay as
# they are, since comments have lists and examples. The marks of a comment become one character each
# first, since CMake's expressions take as much as they can.
function(specmv_library_page)
  string(ASCII 2 open)
  string(ASCII 3 close)
  specmv_declarations(text)
  specmv_roff(text "${text}")
  string(REPLACE "/*" "${open}" text "${text}")
  string(REPLACE "*/" "${close}" text "${text}")
  string(REGEX REPLACE "\n${open} (\\\\-)+ ([^\\\\\n]+) (\\\\-)+${close}" "\n.SH \\2\n.nf" text "${text}")
  string(REGEX REPLACE "\n${open} (\\\\-)+ ([^\\\\\n]+) (\\\\-)+\n \\* " "\n.SH \\2\n.nf\n${open} " text "${text}")
  string(REGEX REPLACE "\n${open} +([^${close}]*) *${close}" "\n.PP\n\\1\n.PP" text "${text}")
  string(REPLACE "\n * " "\n" text "${text}")
  string(REPLACE "\n *\n" "\n.PP\n" text "${text}")
  string(REPLACE "${open}" "/*" text "${text}")
  string(REPLACE "${close}" "*/" text "${text}")
  specmv_page(3 specmv ".SH NAME\nspecmv \\- C API of specmv: y = alpha A x + beta y\n.SH SYNOPSIS
.B #include <specmv.h>\n.SH DESCRIPTION\n.nf${text}\n.fi\n.SH SEE ALSO\n.BR specmv (1)\n")
  file(STRINGS ${SPECMV_SOURCE}/runtime/include/specmv.h functions REGEX "^SPECMV_API .*specmv[A-Za-z]+\\(")
  foreach(function IN LISTS functions)
    string(REGEX REPLACE ".*(specmv[A-Za-z]+)\\(.*" "\\1" function "${function}")
    file(WRITE ${MAN_FOLDER}/man3/${function}.3 ".so man3/specmv.3\n")
  endforeach()
endfunction()

if(SPECMV_TOOL)
  specmv_tool_page()
endif()
specmv_library_page()
