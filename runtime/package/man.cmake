# Writes the manual pages at the time of the installation: specmv(1) from what the tool says of itself
# and the table of variables of specmv-environment(7); specmv(3) and a page for each function and type
# from the C headers; section 7 from the Markdown files of manual/. Nothing is written twice, so nothing
# grows old.
# Wants SPECMV_TOOL (may be empty), SPECMV_SOURCE, SPECMV_VERSION and MAN_FOLDER.

cmake_policy(VERSION 3.25) # of the installation, which includes this and sets none
include(${CMAKE_CURRENT_LIST_DIR}/man_header.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/man_names.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/man_text.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/man_help.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/man_library.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/man_markdown.cmake)

# Both overviews say where the rest is. The installed folder may be moved, so they name no prefix.
set(SPECMV_DOCUMENTS [[.SH FILES
In the folder into which specmv was installed:
.TP
.I share/doc/specmv/README.md
what specmv is, its figures and limits, and how a program uses it
.TP
.I share/doc/specmv/.github/NEWS.md
what is new in each version
.TP
.I share/doc/specmv/tests/bench/README.md
all measurements, and how they were made
.TP
.I share/doc/specmv/samples/
complete programs to copy from
.TP
.I share/doc/specmv/runtime/cli/JSON.md
what the tool's JSON has
.TP
.I share/doc/specmv/models/gpus/
models of GPUs, from which one for another GPU can be written
.TP
.I include/specmv.h, include/specmv_expert.h
the API in C: its simple part, and the expert's, which specmv.h includes, in headers of one subject each
.TP
.I include/specmv_fused.h
ready-made steps of solvers, which specmv\-fused(7) explains
.TP
.I include/specmv.hpp
the API in C++
]])

# The rows | `NAME` | meaning | of specmv-environment(7).
function(specmv_variables out)
  file(READ ${SPECMV_SOURCE}/runtime/package/manual/specmv-environment.7.md text)
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

# Lines are not stretched and names not broken.
function(specmv_page section title text)
  specmv_decode(text "${text}")
  file(WRITE ${MAN_FOLDER}/man${section}/${title}.${section}
       ".TH ${title} ${section} \"\" \"specmv ${SPECMV_VERSION}\"\n.ad l\n.nh\n.ss 12 0\n${text}")
endfunction()

function(specmv_tool_page)
  specmv_help(overview)
  specmv_verbs(verbs)
  set(pages "")
  foreach(verb IN LISTS verbs)
    specmv_help(help ${verb})
    string(APPEND pages ".SS ${verb}${help}")
  endforeach()
  specmv_variables(variables)
  specmv_see_manual(others "")
  specmv_page(1 specmv ".SH NAME\nspecmv \\- sparse matrix times vector by a GPU kernel made for the matrix
.SH SYNOPSIS\n.B specmv\n.I verb\n[options] [arguments]\n.SH DESCRIPTION${overview}.SH VERBS\n${pages}\
.SH ENVIRONMENT${variables}${SPECMV_DOCUMENTS}.SH SEE ALSO\n.BR specmv (3)${others}\n")
endfunction()

if(SPECMV_TOOL)
  specmv_tool_page()
endif()
file(REMOVE_RECURSE ${MAN_FOLDER}/man3) # what an older header had
specmv_read_story(${SPECMV_SOURCE}/runtime/include/specmv.h)
specmv_read_headers(${SPECMV_SOURCE}/runtime/include/specmv.h)
specmv_library_pages()
specmv_manual_pages()
