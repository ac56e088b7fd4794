# The Debian package: `./dev package`, or cpack in the build directory.
include(GNUInstallDirs)
set(here ${CMAKE_SOURCE_DIR}/package)
set(share ${CMAKE_INSTALL_DATADIR}/lethe)
set(doc ${CMAKE_INSTALL_DOCDIR})

# compressed(SOURCE NAME): gzip without name and time, as Debian wants it.
function(compressed source name)
  set(out ${CMAKE_BINARY_DIR}/package/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  execute_process(COMMAND gzip -9nc ${source} OUTPUT_FILE ${out} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

compressed(${here}/lethe.1 lethe.1.gz)
compressed(${CMAKE_SOURCE_DIR}/CHANGELOG.md changelog.gz)
configure_file(${here}/debian/changelog ${CMAKE_BINARY_DIR}/package/changelog.Debian @ONLY)
compressed(${CMAKE_BINARY_DIR}/package/changelog.Debian changelog.Debian.gz)

install(FILES ${CMAKE_BINARY_DIR}/package/lethe.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${here}/lethe.service DESTINATION /lib/systemd/system)
install(FILES ${here}/lethe.sysusers DESTINATION lib/sysusers.d RENAME lethe.conf)
install(FILES ${here}/lethe.bash-completion
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lethe)
install(FILES configs/production.yaml DESTINATION /etc/lethe RENAME lethe.yaml)
install(FILES configs/lethe.schema.json DESTINATION ${share})
install(FILES configs/grafana/lethe.json DESTINATION ${share}/grafana)
install(FILES configs/prometheus/alerts.yml DESTINATION ${share}/prometheus)
install(FILES ${CMAKE_BINARY_DIR}/package/changelog.gz
              ${CMAKE_BINARY_DIR}/package/changelog.Debian.gz ${here}/debian/copyright
        DESTINATION ${doc})
install(FILES configs/full.yaml configs/production.yaml configs/quickstart.yaml
              configs/lethe.schema.json
        DESTINATION ${doc}/examples)
install(PROGRAMS examples/score.py examples/verify.py DESTINATION ${doc}/examples)
install(DIRECTORY docs/ DESTINATION ${doc}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # the program is enough
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lethe)
set(CPACK_PACKAGE_CONTACT "The Lethe project <lethe@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "online learning on a Kafka stream that can forget")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Lethe learns a linear model from a topic of learn and delete events. When
a deletion is asked for, it makes the model statistically
indistinguishable from one that never saw those events, and writes a
signed receipt that says what is promised, under which assumptions, and
what is not covered.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "kcat, prometheus, python3-nacl")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${here}/debian/conffiles;${here}/debian/postinst;${here}/debian/prerm;${here}/debian/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
