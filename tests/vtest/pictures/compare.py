"""Compares two pictures of one scene: compare.py NATIVE DRAWN. The exit status is 1 if they do not agree."""
import sys

from PIL import Image, ImageChops

# No scene has a pixel that differs by more than 2. Another machine's llvmpipe has wider vectors, and may round an edge
# otherwise. A viewport that is 0.3 pixels off makes 609 of 76,800 wrong, or more.
FEW = 1 / 10000
COLOURS = 50  # the scene with the fewest has 187

native, drawn = (Image.open(name).convert("RGBA") for name in sys.argv[1:3])
if native.size != drawn.size:
    sys.exit(f"{native.size} became {drawn.size}")
pixels = native.width * native.height
for name, picture in ("native", native), ("drawn", drawn):
    colours = len(picture.getcolors(pixels))
    if colours < COLOURS:
        sys.exit(f"{name}: {colours} colours: the scene is not there")
furthest = Image.new("L", native.size)
for channel in ImageChops.difference(native, drawn).split():
    furthest = ImageChops.lighter(furthest, channel)
counts = furthest.histogram()
wrong = sum(counts[3:])
print(f"{pixels} pixels, of which {pixels - counts[0]} differ, {wrong} by more than 2, by {furthest.getextrema()[1]} at most")
sys.exit(wrong > pixels * FEW)
