# Writes OUTPUT: one initializer {"name", R"specmv(text)specmv"}, per file of FILES.
set(text "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  string(REGEX REPLACE "\\.json$" "" name "${name}")
  file(READ "${file}" content)
  string(APPEND text "{\"${name}\", R\"specmv(${content})specmv\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
