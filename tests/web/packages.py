"""A Python with the packages of requirements.txt, in a folder of the build."""
import os
import subprocess
import sys

REQUIREMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.txt")
UNREACHABLE = ("Temporary failure in name resolution", "Could not find a version",
               "Failed to establish a new connection", "Network is unreachable",
               "timed out", "No matching distribution found")


def has_packages(python):
    return os.path.exists(python) and subprocess.run(
        [python, "-c", "import numpy, onnxruntime"], capture_output=True, check=False).returncode == 0


def install(python, folder):
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "2",
                           "--disable-pip-version-check", "--only-binary", ":all:", "-r",
                           REQUIREMENTS], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if any(reason in done.stderr for reason in UNREACHABLE):
        print("PyPI cannot be reached, so numpy and onnxruntime were not tried:",
              done.stderr.splitlines()[-1])
        sys.exit(77)
    sys.exit(done.stderr)


def with_packages(folder="packages"):
    """Runs the calling script again with them; returns when they are there. Exits with 77 when
    PyPI cannot be reached, and with an error when anything else is wrong."""
    python = os.path.join(os.path.abspath(folder), "bin", "python")
    if os.path.abspath(sys.executable) == python:
        return
    if not has_packages(python):
        install(python, folder)
    os.execv(python, [python, "-B", *sys.argv])
