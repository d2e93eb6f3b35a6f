"""QEMU for the tests of machines: tools/guest-machine's, where TGSI2SPV_GUEST names its folder, or else the system's."""
import os
import pathlib
import platform
import re
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
QEMU = [str(TOOLS / "guest-machine"), "start", os.environ.get("TGSI2SPV_GUEST", ".")]


def need_qemu(of_pc=True):
    """Skips the test without a QEMU since 8.0, of a PC."""
    version = re.search(r"version (\d+)", subprocess.run([*QEMU, "--version"], capture_output=True, text=True).stdout)
    if version is None or int(version[1]) < 8 or (of_pc and platform.machine() != "x86_64"):
        print(f"skipped: no QEMU{' of a PC' if of_pc else ''} since 8.0 (tools/guest-machine, TGSI2SPV_GUEST)")
        sys.exit(77)


def start_machine(*arguments, environment=None, **files):
    """tgsi-vm with the tgsi-host that the test was given; a machine without a power button ends a second after SIGTERM."""
    return subprocess.Popen(
        [TOOLS / "tgsi-vm", "--grace", "1", "--host-options=--device none", *arguments],
        env={**os.environ, "TGSI_HOST": os.path.abspath(sys.argv[1]), "QEMU": " ".join(QEMU), **(environment or {})},
        stdin=subprocess.DEVNULL, **files)
