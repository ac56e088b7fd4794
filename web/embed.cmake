# cmake -DOUT=FILE -P embed.cmake: writes a C++ file that holds the files of the dashboard
# and, in report/, of the pages that compare and replay write.
set(here ${CMAKE_CURRENT_LIST_DIR})
file(GLOB files ${here}/*.html ${here}/*.css ${here}/*.js
     ${here}/report/*.html ${here}/report/*.css ${here}/report/*.js)
set(arrays)
set(table)
set(number 0)
foreach(file ${files})
  file(RELATIVE_PATH name ${here} ${file})
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${number}[] = {${bytes} 0};\n")
  string(APPEND table "    {\"${name}\", {kFile${number}, ${size}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by web/embed.cmake.
#include \"http/web_files.h\"

namespace lethe {
namespace {
${arrays}
constexpr WebFile kFiles[] = {
${table}};
}  // namespace

std::span<const WebFile> EmbeddedWebFiles() { return kFiles; }

}  // namespace lethe
")
