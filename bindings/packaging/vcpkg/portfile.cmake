vcpkg_download_distfile(ARCHIVE
  URLS "https://github.com/mx2onnx/libmx2onnx/releases/download/v${VERSION}/libmx2onnx-${VERSION}.tar.gz"
  FILENAME "libmx2onnx-${VERSION}.tar.gz"
  SHA512 0 # bindings/release.py writes the archive's
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

set(options -Dtests=disabled)
foreach(feature_option IN ITEMS tar:tar zip:zip tools:cli)
  string(REPLACE ":" ";" pair "${feature_option}")
  list(GET pair 0 feature)
  list(GET pair 1 option)
  if(feature IN_LIST FEATURES)
    list(APPEND options "-D${option}=enabled")
  else()
    list(APPEND options "-D${option}=disabled")
  endif()
endforeach()

vcpkg_configure_meson(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options})
vcpkg_install_meson()
vcpkg_cmake_config_fixup(PACKAGE_NAME mx2onnx CONFIG_PATH lib/cmake/mx2onnx)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES mx2onnx AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE")
