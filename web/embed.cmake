# cmake -DOUT=FILE -P embed.cmake: writes a C++ file that holds the files of the dashboard.
file(GLOB files ${CMAKE_CURRENT_LIST_DIR}/*.html ${CMAKE_CURRENT_LIST_DIR}/*.css
     ${CMAKE_CURRENT_LIST_DIR}/*.js)
set(arrays)
set(table)
set(number 0)
foreach(file ${files})
  cmake_path(GET file FILENAME name)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${number}[] = {${bytes} 0};\n")
  string(APPEND table "    {\"${name}\", {kFile${number}, ${size}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by web/embed.cmake.
#include \"metrics/web_files.h\"

namespace lethe {
namespace {
${arrays}
constexpr WebFile kFiles[] = {
${table}};
}  // namespace

std::span<const WebFile> EmbeddedWebFiles() { return kFiles; }

}  // namespace lethe
")
