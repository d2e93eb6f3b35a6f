"""What `tgsi-host --without` may hide: features, extensions, and uses of formats."""
import pathlib
import re

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "src"

# What some device may lack of a format, as Vulkan's "Required Format Support" has it.
FORMATS = {
    "SAMPLED_IMAGE": "B4G4R4A4_UNORM_PACK16 R5G6B5_UNORM_PACK16 D16_UNORM X8_D24_UNORM_PACK32 "
    "D24_UNORM_S8_UINT D32_SFLOAT_S8_UINT R16_UNORM R16G16B16A16_UNORM R16G16B16A16_SNORM R8_SNORM R8G8B8A8_SNORM",
    "SAMPLED_IMAGE_FILTER_LINEAR": "D16_UNORM D32_SFLOAT D24_UNORM_S8_UINT R32_SFLOAT R32G32B32A32_SFLOAT",
    "COLOR_ATTACHMENT": "B10G11R11_UFLOAT_PACK32 R8_SNORM R8G8B8A8_SNORM R16_UNORM R16G16B16A16_UNORM "
    "A2R10G10B10_UNORM_PACK32",
    "COLOR_ATTACHMENT_BLEND": "R32_SFLOAT R32G32B32A32_SFLOAT B10G11R11_UFLOAT_PACK32 R16G16B16A16_UNORM",
    "DEPTH_STENCIL_ATTACHMENT": "D24_UNORM_S8_UINT D32_SFLOAT_S8_UINT X8_D24_UNORM_PACK32 S8_UINT",
    "STORAGE_IMAGE": "R8_UNORM R16G16_SFLOAT B10G11R11_UFLOAT_PACK32 R16G16B16A16_UNORM R8G8_UINT",
    "VERTEX_BUFFER": "R8G8B8_UNORM R16G16B16_UNORM R16G16B16_SFLOAT A2B10G10R10_SNORM_PACK32 R8G8B8A8_SSCALED",
    "UNIFORM_TEXEL_BUFFER": "R16_UNORM R16G16_UNORM R16G16B16A16_UNORM R32G32B32_SFLOAT",
}


def hidden():
    """Features, extensions, and uses of formats."""
    text = (SOURCES / "vulkan/features.def").read_text()
    known = "".join(f.read_text() for f in [*SOURCES.glob("host/**/*.[ch]*"), *SOURCES.glob("vulkan/*.[ch]pp"),
                                            *SOURCES.glob("translator/**/*.cpp")])
    names = sorted(set(re.findall(r"^(?:CORE\(|FEATURE\(\w+, )(\w+)\)", text, re.M)))
    # Those that nothing asks for change nothing. Pieces of dynamic state are named by their ends.
    names = [n for n in names if re.search(rf"\b{re.sub('^extendedDynamicState3', '', n)}\b", known)]
    header = pathlib.Path("/usr/include/vulkan/vulkan_core.h").read_text()
    extensions = dict(re.findall(r"#define (VK_\w+_EXTENSION_NAME) +\"(\w+)\"", header))
    used = set()
    for file in [*SOURCES.glob("host/**/*.cpp"), *SOURCES.glob("vulkan/*.cpp")]:
        words = set(re.findall(r"\w+", file.read_text()))
        # The device's table writes their names without both ends.
        used |= {name for name in extensions if name in words or name[7:-15] in words}
    names += sorted(extensions[name] for name in used if "SURFACE" not in name)
    return names + [f"VK_FORMAT_{f}:{use}" for use, formats in FORMATS.items() for f in formats.split()]
