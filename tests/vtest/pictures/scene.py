"""A window of GTK 4 that shows what its renderer has shaders for, and is taken from the screen."""
import gi

for name, version in (("Gtk", "4.0"), ("Gdk", "4.0"), ("Gsk", "4.0"), ("Graphene", "1.0")):
    gi.require_version(name, version)
from gi.repository import Gdk, GLib, Graphene, Gsk, Gtk
from PIL import ImageGrab


def color(text):
    parsed = Gdk.RGBA()
    parsed.parse(text)
    return parsed


def point(x, y):
    return Graphene.Point().init(x, y)


def rect(x, y, width, height):
    return Graphene.Rect().init(x, y, width, height)


def rounded(box, radius):
    made = Gsk.RoundedRect()
    made.init_from_rect(box, radius)
    return made


def stop(offset, text):
    made = Gsk.ColorStop()
    made.offset, made.color = offset, color(text)
    return made


class Scene(Gtk.Widget):
    def do_snapshot(self, snapshot):
        stops = [stop(0, "gold"), stop(0.5, "crimson"), stop(1, "#2040ff80")]
        snapshot.append_color(color("#203040"), rect(0, 0, 320, 240))
        snapshot.append_linear_gradient(rect(10, 10, 90, 60), point(10, 10), point(100, 70), stops)
        snapshot.append_radial_gradient(rect(110, 10, 90, 60), point(155, 40), 50, 30, 0, 1, stops)
        snapshot.append_conic_gradient(rect(210, 10, 90, 60), point(255, 40), 20, stops)
        snapshot.append_outset_shadow(rounded(rect(20, 90, 80, 50), 12), color("black"), 4, 4, 3, 10)
        snapshot.push_rounded_clip(rounded(rect(20, 90, 80, 50), 12))
        snapshot.append_color(color("seagreen"), rect(20, 90, 80, 50))
        snapshot.pop()
        colors = [color(side) for side in ("red", "lime", "cyan", "white")]
        snapshot.append_border(rounded(rect(120, 90, 80, 50), 20), [6, 3, 6, 3], colors)
        snapshot.push_blur(4)
        snapshot.append_color(color("orange"), rect(220, 95, 70, 40))
        snapshot.pop()
        snapshot.push_opacity(0.5)
        snapshot.save()
        snapshot.translate(point(80, 190))
        snapshot.rotate(15)
        snapshot.append_color(color("violet"), rect(-50, -15, 100, 30))
        snapshot.append_inset_shadow(rounded(rect(-50, -15, 100, 30), 0), color("black"), 2, 2, 2, 6)
        snapshot.restore()
        snapshot.pop()
        snapshot.push_blend(Gsk.BlendMode.DIFFERENCE)
        snapshot.append_color(color("yellow"), rect(160, 160, 80, 50))
        snapshot.pop()
        snapshot.append_color(color("teal"), rect(200, 180, 80, 50))
        snapshot.pop()


def take():
    """The picture, as soon as the screen shows one and keeps it."""
    global last
    picture = ImageGrab.grab(xdisplay="").crop((0, 0, 320, 240))
    if len(picture.getcolors(320 * 240)) < 2 or picture != last:
        last = picture
        return True
    picture.save("picture.png")
    loop.quit()
    return False


last = None
Gtk.init()
loop = GLib.MainLoop()
window = Gtk.Window(decorated=False, default_width=320, default_height=240, child=Scene())
window.present()
GLib.timeout_add(200, take)
loop.run()
