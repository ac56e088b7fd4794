#!/usr/bin/env python3
"""The documentation: it builds without a warning, every link inside of it leads somewhere, and
every command, option and file that it names exists."""
import functools
import os
import re
import shutil
import subprocess
import sys

LETHE = os.environ["LETHE"]
ROOT = os.environ["LETHE_SOURCE_DIR"]
SKIPPED = {"build", ".git"}


def pages():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".md"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(path):
    """The names that headings get."""
    text = re.sub(r"(?ms)^```.*?^```", "", read(path))
    found = set()
    for heading in re.findall(r"(?m)^#+ +(.*)$", text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        found.add(re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return found


def broken_links():
    for page in pages():
        text = re.sub(r"(?ms)^```.*?^```", "", read(page))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            if not os.path.exists(path):
                yield f"{page}: {target} does not exist"
            elif anchor and anchor not in anchors(path):
                yield f"{page}: {target} has no such heading"


@functools.lru_cache(None)
def helped(*words):
    done = subprocess.run([LETHE, *words, "--help"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


@functools.lru_cache(None)
def commands(*words):
    _, _, rest = helped(*words).partition("\nSubcommands:\n")
    return set(re.findall(r"(?m)^  ([a-z][a-z-]*) ", rest))


def options(*words):
    return set(re.findall(r"--[a-z][a-z-]*", helped(*words))) | {"-h", "--help", "--version"}


def mentions(text):
    """What follows `lethe` wherever it is a command: in code spans, indented lines and blocks."""
    spans = re.findall(r"`([^`\n]+)`", text)
    spans += re.findall(r"(?m)^(?:    |\$ )(.*)$", text)
    spans += [line for block in re.findall(r"(?ms)^```\w*\n(.*?)^```", text) for line in block.split("\n")]
    for span in spans:
        for found in re.finditer(r"(?:^|[\s/(|'])lethe((?: +[^|;&>#`]+)?)", span):
            yield found.group(1).split()


def unknown_commands():
    count = 0
    for page in pages():
        for words in mentions(read(page)):
            if words[:1] == ["lethe"]:  # sudo -u lethe lethe ...
                words = words[1:]
            if not words or not re.fullmatch(r"[a-z][a-z-]*,?", words[0]):
                continue
            command = words[0].rstrip(",")
            if command not in commands():
                yield f"{page}: no command `lethe {command}`"
                continue
            count += 1
            path, rest = [command], words[1:]
            if commands(command):
                if rest and not rest[0].startswith(("-", "[")):
                    word = rest[0].rstrip(",")
                    if word not in commands(command):
                        yield f"{page}: no command `lethe {command} {word}`"
                        continue
                    path.append(word)
            known = options(*path)
            for word in rest:
                option = re.match(r"\[?(--[a-z][a-z-]*)", word)
                if option and option.group(1) not in known:
                    yield f"{page}: `lethe {' '.join(path)}` has no {option.group(1)}"
    if count < 50:
        yield f"only {count} commands found: the search is broken"


def missing_files():
    """Files of this repository that the text names, such as `engine/spec/loss.cc`."""
    folders = "app|bench|configs|connectors|docs|engine|examples|http|metrics|package|state|tests|web"
    for page in pages():
        for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", read(page)):
            if not os.path.exists(os.path.join(ROOT, name)):
                yield f"{page}: there is no {name}"


def build_warnings():
    if not shutil.which("mkdocs", path="/usr/bin"):
        print("mkdocs is missing: not built")
        return
    done = subprocess.run(["/usr/bin/mkdocs", "build", "--strict", "-f", os.path.join(ROOT, "mkdocs.yml"),
                           "-d", os.path.abspath("site")], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield done.stdout + done.stderr
    for script in re.findall(r'(?:src|href)="(https?://[^"]+\.(?:js|css|woff2?))"',
                             read("site/index.html") if done.returncode == 0 else ""):
        yield f"the site loads {script} from elsewhere"


problems = [*broken_links(), *unknown_commands(), *missing_files(), *build_warnings()]
print("\n".join(problems))
sys.exit(1 if problems else 0)
