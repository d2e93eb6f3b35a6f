# A library target for each folder of src/. Its include path is a room: a folder of links to itself and to the
# folders that it may include, so that an include that the architecture does not allow does not compile.

# room(NAME folder... ): fills the room of NAME with links and returns its path in ROOM_DIR.
function(make_room name)
    set(dir ${CMAKE_BINARY_DIR}/rooms/${name})
    file(MAKE_DIRECTORY ${dir})
    foreach(folder IN LISTS ARGN)
        if(NOT EXISTS ${dir}/${folder})
            file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${folder} ${dir}/${folder} SYMBOLIC)
        endif()
    endforeach()
    set(ROOM_DIR ${dir} PARENT_SCOPE)
endfunction()

# folder_library(NAME MAY folder... LINK target...): src/NAME as the static library tgsi2spv_NAME.
function(folder_library name)
    cmake_parse_arguments(ARG "" "" "MAY;LINK" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    make_room(${name} ${name} ${ARG_MAY})
    add_library(tgsi2spv_${name} STATIC ${sources})
    target_include_directories(tgsi2spv_${name} PRIVATE ${ROOM_DIR})
    foreach(folder IN LISTS ARG_MAY)
        target_link_libraries(tgsi2spv_${name} PUBLIC tgsi2spv_${folder})
    endforeach()
    target_link_libraries(tgsi2spv_${name} PUBLIC fmt::fmt third_party_expected ${ARG_LINK})
    if(TGSI2SPV_VERIFY)
        target_compile_definitions(tgsi2spv_${name} PRIVATE TGSI2SPV_VERIFY=1)
    endif()
endfunction()
