"""Prints what OpenGL this machine's EGL gives: compatibility, core and ES, three versions on a line. No window is needed."""
import ctypes

egl = ctypes.CDLL("libEGL.so.1")
for name in "eglGetPlatformDisplay", "eglCreateContext", "eglGetProcAddress":
    getattr(egl, name).restype = ctypes.c_void_p
SURFACELESS, OPENGL, ES, VERSION = 0x31DD, 0x30A2, 0x30A0, 0x1F02
MAJOR, PROFILE, CORE, COMPATIBILITY, END = 0x3098, 0x30FD, 1, 2, 0x3038


def array(*values):
    return (ctypes.c_int32 * len(values))(*values)


display = ctypes.c_void_p(egl.eglGetPlatformDisplay(SURFACELESS, None, None))
if not egl.eglInitialize(display, None, None):
    raise SystemExit("no EGL")
get_string = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(egl.eglGetProcAddress(b"glGetString"))


def version(api, *attributes):
    egl.eglBindAPI(api)
    context = ctypes.c_void_p(egl.eglCreateContext(display, None, None, array(*attributes, END)))
    if not context or not egl.eglMakeCurrent(display, None, None, context):
        return "none"
    text = get_string(VERSION).decode()
    egl.eglMakeCurrent(display, None, None, None)
    return text.removeprefix("OpenGL ES ").split()[0]


print(version(OPENGL, PROFILE, COMPATIBILITY), version(OPENGL, MAJOR, 3, 0x30FB, 2, PROFILE, CORE), version(ES, MAJOR, 2))
