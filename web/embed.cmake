# cmake -DOUT=FILE -P embed.cmake: writes a C++ file that holds the files of the dashboard.
set(code "// Made by web/embed.cmake.\n#include \"metrics/web_files.h\"\n\nnamespace lethe {\n")
foreach(pair "index.html;IndexHtml" "app.css;AppCss" "app.js;AppJs" "charts.js;ChartsJs")
  list(GET pair 0 file)
  list(GET pair 1 name)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND code "namespace {\nconstexpr char k${name}[] = {${bytes} 0};\n}  // namespace\n"
         "std::string_view Embedded${name}() { return {k${name}, ${size}}; }\n")
endforeach()
file(WRITE ${OUT} "${code}}  // namespace lethe\n")
