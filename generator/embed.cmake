# Writes OUTPUT: one initializer {"name", R"specmv(text)specmv"}, per file of FILES. A file's name is
# its path below FOLDER, without .json. With DIGESTS a third member follows: a digest of the file and
# of all that it includes, as 64 hexadecimal digits.
cmake_minimum_required(VERSION 3.25)

set(names "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name "${FOLDER}" "${file}")
  string(REGEX REPLACE "\\.json$" "" name "${name}")
  list(APPEND names "${name}")
  file(READ "${file}" text_of_${name})
  file(SHA256 "${file}" sha_of_${name})
endforeach()

# Appends a line "name SHA-256" for each file that this one includes and that was not seen yet, and
# then for this one (expansionOf() of embedded.h).
function(add_expansion name seen lines)
  set(all "${${lines}}")
  set(known ${${seen}} "${name}")
  string(REGEX MATCHALL "(^|\n)#include \"[^\"\n]+\"" includes "${text_of_${name}}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*\"(.*)\"" "\\1" included "${include}")
    if(NOT included IN_LIST known AND DEFINED sha_of_${included})
      add_expansion("${included}" known all)
    endif()
  endforeach()
  string(APPEND all "${name} ${sha_of_${name}}\n")
  set(${seen} "${known}" PARENT_SCOPE)
  set(${lines} "${all}" PARENT_SCOPE)
endfunction()

set(out "")
foreach(name IN LISTS names)
  set(digest "")
  if(DIGESTS)
    set(seen "")
    set(expansion "")
    add_expansion("${name}" seen expansion)
    string(SHA256 digest "${expansion}")
    set(digest ", \"${digest}\"")
  endif()
  string(APPEND out "{\"${name}\", R\"specmv(${text_of_${name}})specmv\"${digest}},\n")
endforeach()
file(WRITE "${OUTPUT}" "${out}")
