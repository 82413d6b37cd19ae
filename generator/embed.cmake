# Writes OUTPUT: one initializer {"name", R"specmv(text)specmv"}, per file of FILES. A file's name is
# its path below FOLDER, without .json.
set(text "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name "${FOLDER}" "${file}")
  string(REGEX REPLACE "\\.json$" "" name "${name}")
  file(READ "${file}" content)
  string(APPEND text "{\"${name}\", R\"specmv(${content})specmv\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
