#include "renderer/state/problem.h"

namespace tgsi2spv::host {

const char* describe(Problem problem) {
    switch (problem) {
        case Problem::None:
            return "nothing is wrong";
        case Problem::HandleZero:
            return "handle 0";
        case Problem::HandleInUse:
            return "the handle is in use";
        case Problem::NoResource:
            return "no such resource";
        case Problem::NoObject:
            return "no such object";
        case Problem::WrongObject:
            return "an object of another type";
        case Problem::NoContext:
            return "no such sub-context";
        case Problem::BadTarget:
            return "no such texture target, or not the resource's";
        case Problem::BadFormat:
            return "a format that was not offered";
        case Problem::BadSize:
            return "a size beyond the limits that were offered";
        case Problem::BadSamples:
            return "a sample count that was not offered";
        case Problem::BadLevel:
            return "a level or layer that the resource does not have";
        case Problem::BadBox:
            return "a box that is not inside the level";
        case Problem::BadStride:
            return "a stride that is shorter than a row or a layer";
        case Problem::BadRange:
            return "a range beyond the end";
        case Problem::NoMemory:
            return "no memory";
        case Problem::NoSharedMemory:
            return "the resource has no shared memory";
        case Problem::Text:
            return "a shader's text arrives out of order";
        case Problem::Incompatible:
            return "resources of different kinds";
        case Problem::Unsupported:
            return "not supported";
        case Problem::Budget:
            return "the client's budget is used up";
    }
    return "";
}

}  // namespace tgsi2spv::host
