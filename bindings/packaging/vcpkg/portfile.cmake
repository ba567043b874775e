vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO mx2onnx/libmx2onnx
  REF "v${VERSION}"
  SHA512 0 # of the release
)

set(options -Dtests=disabled -Dwerror=false)
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
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
