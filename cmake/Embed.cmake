# Writes OUTPUT, a C++ source with one function per file of FILES ("function=path"; an empty path gives an empty text).
# Run by the build: cmake -DOUTPUT=... -DHEADER=... -DNAMESPACE=... "-DFILES=a=path;b=path" -P Embed.cmake
set(text "#include \"${HEADER}\"\n\n// NOLINTBEGIN(readability-function-size)\nnamespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
  set(function "${CMAKE_MATCH_1}")
  set(content "")
  if(CMAKE_MATCH_2)
    file(READ "${CMAKE_MATCH_2}" content)
  endif()
  string(APPEND text "std::string_view ${function}() {\n  return R\"embedded(${content})embedded\";\n}\n\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n// NOLINTEND(readability-function-size)\n")
file(WRITE "${OUTPUT}" "${text}")
