# shaders/harness/NAME.STAGE becomes harness_shaders/NAME_STAGE.h, an array of words named NAME_STAGE.
file(GLOB harness_shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/shaders/harness/*.vert
     ${CMAKE_SOURCE_DIR}/shaders/harness/*.frag ${CMAKE_SOURCE_DIR}/shaders/harness/*.comp)
set(harness_dir ${CMAKE_BINARY_DIR}/generated/harness_shaders)
file(MAKE_DIRECTORY ${harness_dir})
foreach(shader IN LISTS harness_shaders)
    get_filename_component(file ${shader} NAME)
    string(REPLACE "." "_" name ${file})
    add_custom_command(
        OUTPUT ${harness_dir}/${name}.h
        COMMAND ${GLSLANG_VALIDATOR} -V --quiet --target-env vulkan1.1 --vn ${name} -o ${harness_dir}/${name}.h ${shader}
        DEPENDS ${shader}
        VERBATIM)
    target_sources(tgsi2spv_vulkan PRIVATE ${harness_dir}/${name}.h)
endforeach()
target_include_directories(tgsi2spv_vulkan PRIVATE ${CMAKE_BINARY_DIR}/generated)
