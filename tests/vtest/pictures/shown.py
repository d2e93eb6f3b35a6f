"""Starts a program, and takes the picture that it shows as soon as the screen keeps it: shown.py COLOURS PROGRAM..."""
import subprocess
import sys
import time

from PIL import ImageGrab

# A window that has just opened shows its background: the picture has at least so many colours.
colours, program = int(sys.argv[1]), sys.argv[2:]
running = subprocess.Popen(program)
last = None
while running.poll() is None:
    time.sleep(0.5)
    picture = ImageGrab.grab(xdisplay="")
    if picture == last and len(picture.getcolors(picture.width * picture.height)) >= colours:
        picture.save("picture.png")
        running.kill()
        sys.exit(0)
    last = picture
sys.exit("the program has ended")
