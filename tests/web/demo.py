"""`lethe demo` and `lethe run` as processes of their own."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time


class Program:
    """Use as a context manager: there when its page is. Ends with Ctrl-C, and must then end with
    0."""

    page = r"url=(http://\S+)"  # in what it says

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([os.environ["LETHE"], *self.words],
                                        stdout=self.out, stderr=self.out)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(self.page, self.said())
            if found:
                self.url = found[1].rstrip("/") + "/"
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


class Demo(Program):
    page = r"open +(http://\S+)"

    def __init__(self, *flags):
        super().__init__("demo", "--port", "0", *flags)


class Daemon(Program):
    """With this configuration, and a new state in this folder."""

    def __init__(self, config, state):
        shutil.rmtree(state, ignore_errors=True)
        path = state + ".yaml"
        with open(path, "w", encoding="utf8") as file:
            file.write(config)
        super().__init__("run", "--config", path)
