"""`lethe demo` as a process of its own."""
import os
import re
import signal
import subprocess
import tempfile
import time


class Demo:
    """Use as a context manager. Ends with Ctrl-C, and must then end with 0."""

    def __init__(self, *flags):
        self.flags = flags

    def __enter__(self):
        self.out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([os.environ["LETHE"], "demo", "--port", "0", *self.flags],
                                        stdout=self.out, stderr=self.out)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"open +(http://\S+)", self.said())
            if found:
                self.url = found[1]
                return self
            time.sleep(0.1)
        self.process.kill()
        raise TimeoutError("no page: " + self.said())

    def said(self):
        self.out.seek(0)
        return self.out.read()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def __exit__(self, kind, *_):
        code = self.stop()
        assert kind is not None or code == 0, f"exit code {code}: {self.said()}"
