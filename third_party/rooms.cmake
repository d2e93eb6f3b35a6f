# A library target for each folder of src/ and tests/oracle. Its include path is a room: a folder with links to itself and to the
# folders that it may include. Thus an include that the architecture does not allow does not compile.

# find_folder(VARIABLE NAME): the path of the folder of that name in src/, in one of its three products, or in tests/oracle.
function(find_folder variable name)
    file(GLOB found LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/src/${name} ${PROJECT_SOURCE_DIR}/src/*/${name}
         ${PROJECT_SOURCE_DIR}/tests/oracle/${name})
    list(LENGTH found number)
    if(NOT number EQUAL 1)
        message(FATAL_ERROR "there are ${number} folders of the name ${name}")
    endif()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# make_room(NAME folder...): fills the room of NAME with links, no others, and returns its path in ROOM_DIR. A folder of which
# the room has all, as A of A/B, needs no link of its own.
function(make_room name)
    string(REPLACE "/" "_" name ${name})
    set(dir ${PROJECT_BINARY_DIR}/rooms/${name})
    file(REMOVE_RECURSE ${dir})
    foreach(folder IN LISTS ARGN)
        find_folder(path ${folder})
        get_filename_component(outer ${folder} DIRECTORY)
        if(outer IN_LIST ARGN)
            continue()
        endif()
        file(MAKE_DIRECTORY ${dir}/${outer})
        file(CREATE_LINK ${path} ${dir}/${folder} SYMBOLIC)
    endforeach()
    set(ROOM_DIR ${dir} PARENT_SCOPE)
endfunction()

# precompiled(OWNER LIBRARY|PROGRAM OPTIONS option... LINK target... HEADERS header...): defines OWNER, a target that
# only precompiles these headers, none of them ours. `use_precompiled(TARGET OWNER)` then includes them in all sources
# of TARGET, which must have the same compiler options as OWNER. This saves up to a third of the compile time. In
# precompiled headers, gcc forgets which headers are system headers, and gcc 12 sees an overlap in every `std::string +
# "…"` (its bug 105329), so that warning is off.
function(precompiled owner kind)
    cmake_parse_arguments(ARG "" "" "OPTIONS;LINK;HEADERS" ${ARGN})
    if(NOT TGSI2SPV_PRECOMPILE)
        return()
    endif()
    set(source ${PROJECT_BINARY_DIR}/generated/${owner}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n" @ONLY)
    if(kind STREQUAL LIBRARY)
        add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${source})
        hide_symbols(${owner})
    else()
        add_executable(${owner} EXCLUDE_FROM_ALL ${source})
    endif()
    target_compile_options(${owner} PRIVATE ${ARG_OPTIONS})
    target_link_libraries(${owner} PRIVATE ${ARG_LINK})
    target_precompile_headers(${owner} PRIVATE ${ARG_HEADERS})
endfunction()

# The shared library exports only the C functions, and nothing inside it is called through a symbol that another library
# might replace.
function(hide_symbols target)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(use_precompiled target owner)
    if(TARGET ${owner})
        target_precompile_headers(${target} REUSE_FROM ${owner})
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(${target} PRIVATE -Wno-restrict)
        endif()
    endif()
endfunction()

# compile_together(TARGET): with TGSI2SPV_TOGETHER, compiles up to ten sources of TARGET as one, those in which no name
# would mean two things. Most of the compile time goes into the headers that a source includes. Sources with properties of
# their own are compiled alone. tools/together.py chooses them: plain UNITY_BUILD joins neighbours, and of the 92 batches of
# ten neighbours in src and tests, 43 have a name that would mean two things. `join_sources` does it at the end, for all
# targets at once: 70 runs of Python take seconds.
function(compile_together target)
    if(TGSI2SPV_TOGETHER)
        set_property(GLOBAL APPEND PROPERTY targets_of_joined_sources ${target})
    endif()
endfunction()

function(join_sources)
    get_property(targets GLOBAL PROPERTY targets_of_joined_sources)
    if(targets)
        find_package(Python3 QUIET COMPONENTS Interpreter)
    endif()
    if(NOT Python3_FOUND)  # then each source is compiled alone
        return()
    endif()
    set(groups)
    foreach(target IN LISTS targets)
        list(APPEND groups ${target})
        get_target_property(dir ${target} SOURCE_DIR)
        get_target_property(sources ${target} SOURCES)
        list(FILTER sources INCLUDE REGEX "\\.cpp$")
        foreach(source IN LISTS sources)
            get_source_file_property(own ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
            get_source_file_property(defined ${source} TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
            if(NOT own AND NOT defined)
                cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${dir})
                list(APPEND groups ${source})
            endif()
        endforeach()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
        target_compile_options(${target} PRIVATE -Wno-shadow)  # names of one file may hide those of another
    endforeach()
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/together.py 10 ${groups}
                    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([^ ]+) ([0-9]+) (.*)$" matched "${line}")
        set_source_files_properties(${CMAKE_MATCH_3} TARGET_DIRECTORY ${CMAKE_MATCH_1}
                                    PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    endforeach()
endfunction()

# For the folders that conversions run through: -O3 makes them 1 % faster. GCC clears and copies structs of 64 bytes and
# more with `rep stos`, which starts slowly: without it, the smallest shaders take 7 % less time.
set(hot_options)
if(NOT TGSI2SPV_SANITIZE)
    set(hot_options $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
        foreach(function IN ITEMS memset memcpy)
            list(APPEND hot_options -m${function}-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
        endforeach()
    endif()
    # GCC counts the growth by inlining for a compiled file as a whole: several sources as one get less of it each, and
    # conversions would take 3 to 6 % more machine instructions.
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND TGSI2SPV_TOGETHER)
        list(APPEND hot_options --param=inline-unit-growth=120)
    endif()
endif()
# For code that waits for files and drivers: optimised less, it compiles in two thirds of the time.
set(cold_options $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
set(standard_headers <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

# folder_library(FOLDER [HOT|COLD] [FUZZED] [FLOORS folder...] MAY folder... LINK target...): the folder as the static library
# tgsi2spv_FOLDER; A/B, which is then no part of A, as tgsi2spv_A_B. HOT: conversions run through it. COLD: it waits for
# others. FUZZED: the targets of libFuzzer reach it. FLOORS: its folders, each a library of its own that may include those
# before it.
function(folder_library folder)
    cmake_parse_arguments(ARG "HOT;COLD;FUZZED" "" "FLOORS;MAY;LINK" ${ARGN})
    set(flags)
    foreach(flag IN ITEMS HOT FUZZED)
        if(ARG_${flag})
            list(APPEND flags ${flag})
        endif()
    endforeach()
    foreach(floor IN LISTS ARG_FLOORS)
        folder_library(${folder}/${floor} ${flags} MAY ${ARG_MAY} LINK ${ARG_LINK})
        list(APPEND ARG_MAY ${folder}/${floor})
    endforeach()
    find_folder(path ${folder})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${path}/*.cpp)
    set(below ${ARG_MAY})
    list(FILTER below INCLUDE REGEX "^${folder}/")
    foreach(floor IN LISTS below)
        list(FILTER sources EXCLUDE REGEX "/${floor}/")
    endforeach()
    string(REPLACE "/" "_" name ${folder})
    make_room(${name} ${folder} ${ARG_MAY})
    add_library(tgsi2spv_${name} STATIC ${sources})
    list(TRANSFORM ARG_FLOORS PREPEND tgsi2spv_${name}_)
    set_target_properties(tgsi2spv_${name} PROPERTIES FLOORS "${ARG_FLOORS}")
    target_include_directories(tgsi2spv_${name} PRIVATE ${ROOM_DIR})
    hide_symbols(tgsi2spv_${name})
    set(options)
    if(ARG_HOT)
        list(APPEND options ${hot_options})
    endif()
    if(ARG_FUZZED)
        list(APPEND options ${fuzzer_options})
    endif()
    target_compile_options(tgsi2spv_${name} PRIVATE ${options})
    # Libraries with the same options share their precompiled headers, which -O1 may use, too.
    string(MAKE_C_IDENTIFIER "headers_of_libraries${options}" headers)
    if(NOT TARGET ${headers})
        precompiled(${headers} LIBRARY OPTIONS ${options} LINK fmt::fmt third_party_expected HEADERS ${standard_headers})
    endif()
    use_precompiled(tgsi2spv_${name} ${headers})
    if(ARG_COLD)
        target_compile_options(tgsi2spv_${name} PRIVATE ${cold_options})
    endif()
    string(REPLACE "/" "_" may "${ARG_MAY}")
    list(TRANSFORM may PREPEND tgsi2spv_)
    target_link_libraries(tgsi2spv_${name} PUBLIC ${may})
    target_link_libraries(tgsi2spv_${name} PUBLIC fmt::fmt third_party_expected ${ARG_LINK})
    if(TGSI2SPV_VERIFY)
        target_compile_definitions(tgsi2spv_${name} PUBLIC TGSI2SPV_VERIFY=1)
    endif()
    compile_together(tgsi2spv_${name})
endfunction()

# source_id(TARGET folder...): generates tgsi2spv_source_id.h for TARGET only, with 16 digits that change whenever a
# file in these folders changes.
function(source_id target)
    set(files)
    foreach(folder IN LISTS ARGN)
        find_folder(path ${folder})
        file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${path}/*.cpp ${path}/*.h ${path}/*.def)
        list(APPEND files ${found})
    endforeach()
    list(SORT files)
    set(dir ${PROJECT_BINARY_DIR}/generated/${target})
    file(MAKE_DIRECTORY ${dir})
    string(REPLACE ";" "\n" lines "${files}")
    file(CONFIGURE OUTPUT ${dir}/sources.txt CONTENT "${lines}" @ONLY)
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
    add_custom_command(
        OUTPUT ${dir}/tgsi2spv_source_id.h
        COMMAND ${CMAKE_COMMAND} -D LIST=${dir}/sources.txt -D ROOT=${PROJECT_SOURCE_DIR}
                -D OUT=${dir}/tgsi2spv_source_id.h -P ${PROJECT_SOURCE_DIR}/third_party/source_id.cmake
        DEPENDS ${paths} ${dir}/sources.txt ${PROJECT_SOURCE_DIR}/third_party/source_id.cmake
        VERBATIM)
    target_sources(${target} PRIVATE ${dir}/tgsi2spv_source_id.h)
    target_include_directories(${target} PRIVATE ${dir})
endfunction()

# glsl_headers(TARGET FOLDER): compiles every FOLDER/NAME.STAGE to harness_shaders/NAME_STAGE.h, an array of SPIR-V
# words called NAME_STAGE, for TARGET only.
function(glsl_headers target folder)
    file(GLOB shaders CONFIGURE_DEPENDS ${folder}/*.vert ${folder}/*.tesc ${folder}/*.tese ${folder}/*.geom ${folder}/*.frag
         ${folder}/*.comp)
    set(dir ${PROJECT_BINARY_DIR}/generated/${target}/harness_shaders)
    file(MAKE_DIRECTORY ${dir})
    foreach(shader IN LISTS shaders)
        get_filename_component(file ${shader} NAME)
        string(REPLACE "." "_" name ${file})
        add_custom_command(
            OUTPUT ${dir}/${name}.h
            COMMAND ${GLSLANG_VALIDATOR} -V --quiet --target-env vulkan1.1 --vn ${name} -o ${dir}/${name}.h ${shader}
            DEPENDS ${shader}
            VERBATIM)
        target_sources(${target} PRIVATE ${dir}/${name}.h)
    endforeach()
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/${target})
endfunction()
