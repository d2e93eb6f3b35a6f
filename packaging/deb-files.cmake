# Adds the files that Debian requires to a package that CPack stages: the licences, the changelog, compressed manuals.
set(package_runtime libtgsi2spv1)
set(package_library libtgsi2spv-dev)
set(package_tools tgsi2spv)
set(package_vnc tgsi2spv-vnc)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(share ${CMAKE_INSTALL_PREFIX}/share)
set(doc ${share}/doc/${package_${CMAKE_INSTALL_COMPONENT}})
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/copyright/${CMAKE_INSTALL_COMPONENT} DESTINATION ${doc} RENAME copyright)
file(INSTALL ${source}/CHANGELOG.md DESTINATION ${doc} RENAME changelog)
set(staged $ENV{DESTDIR})  # file(INSTALL) knows of it
file(GLOB manuals ${staged}${share}/man/man*/*)
execute_process(COMMAND gzip -9nf ${staged}${doc}/changelog ${manuals} COMMAND_ERROR_IS_FATAL ANY)
