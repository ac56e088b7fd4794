#!/usr/bin/env python3
"""The pages that compare and replay write: in a browser, from a file, without a server. They draw,
ask for nothing, fit a narrow screen, and show the figures of the JSON output."""
import json
import os
import re
import subprocess
import sys

import browser as web

LETHE = os.environ["LETHE"]
CONFIG = "passive.yaml"
MODES = "none,passive,active/second_order,restart"


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def lethe(*words):
    return subprocess.run([LETHE, *words], check=True, capture_output=True, text=True).stdout


def write_pages():
    with open(CONFIG, "w", encoding="utf8") as file:
        file.write("model: {dimension: 20}\nforgetting: {mode: passive}\n")
    lethe("generate", "--events", "3000", "--deletions", "0.01", "--out", "events.ndjson")
    compared = lethe("compare", "events.ndjson", "--config", CONFIG, "--modes", MODES, "--html",
                     "compare.html", "--json")
    replayed = lethe("replay", "events.ndjson", "--config", CONFIG, "--regret", "--html",
                     "replay.html", "--json")
    swept = lethe("compare", "events.ndjson", "--config", CONFIG, "--modes", MODES, "--frontier",
                  "--budgets", "0.3,1,3", "--html", "frontier.html", "--json")
    return json.loads(compared), json.loads(replayed), json.loads(swept)


def nothing_is_loaded(name):
    with open(name, encoding="utf8") as file:
        text = file.read()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1]
    check("default-src 'none'" in policy and "unsafe" not in policy, policy)
    for word in ("src=", "@import", "url(", "<link"):
        check(word not in text, f"{name} has {word}")


def it_is_whole(page, name, charts=4, kinds=("polyline", "rect", "circle")):
    page.resize(1280, 900)
    page.open("file://" + os.path.abspath(name))
    page.wait("charts", lambda: page.run("return document.querySelectorAll('figure svg').length === arguments[0]", charts))
    check(page.run("return document.querySelectorAll('figure details td').length > 20"), "no tables")
    for kind in kinds:
        check(page.run("return !!document.querySelector('figure ' + arguments[0])", kind), f"no {kind}")
    check(page.run("return [...document.querySelectorAll('figure svg *')].every((e) =>"
                   "![...e.attributes].some((a) => a.value.includes('NaN')))"), "NaN in a chart")
    check(page.run("return [...document.querySelectorAll('svg')].every("
                   "(s) => s.getAttribute('aria-label').length > 20)"), "a chart without words")
    page.prefer("light")
    light = page.run("return getComputedStyle(document.body).backgroundColor")
    page.prefer("dark")
    check(page.run("return getComputedStyle(document.body).backgroundColor") != light, "one colour")
    page.resize(320, 640, mobile=True)
    page.wait("no scrolling sideways", lambda: page.run(
        "return document.documentElement.scrollWidth <= 320"))
    said = page.logs("browser")
    check(not said, f"the console says {said}")
    asked = [json.loads(entry["message"])["message"] for entry in page.logs("performance")]
    asked = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    foreign = [url for url in asked if not url.startswith(("file:", "data:", "chrome:"))]
    check(not foreign, f"asked for {foreign}")


def the_figures_are_those(page, compared):
    page.open("file://" + os.path.abspath("compare.html"))
    shown = page.text("#all")
    for mode in compared["modes"]:
        check(mode["name"] in shown, mode["name"])
        check(f"{mode['accuracy']:.4f}" in shown, f"{mode['name']} without its accuracy")
    # The end of a curve is the figure in the table.
    ends = page.run("return data.series.map((s) => s.accuracy.at(-1))")
    check(ends == [mode["accuracy"] for mode in compared["modes"]], f"curves end at {ends}")


def the_frontier_is_that(page, swept):
    page.open("file://" + os.path.abspath("frontier.html"))
    shown = page.text("#all")
    for point in swept["points"]:
        check(point["name"] in shown, point["name"])
        check(f"{point['accuracy']:.4f}" in shown, f"{point['name']} without its accuracy")
    certified = [point for point in swept["points"] if point["certified"]]
    check(page.run("return document.querySelectorAll('figure circle').length") == len(certified),
          "a point is missing")
    names = page.run("return [...document.querySelectorAll('.legend li')].map((li) => li.textContent)")
    check(names == list(dict.fromkeys(point["name"] for point in certified)), f"legend {names}")
    # Further right: a larger advantage.
    places = page.run("return [...document.querySelectorAll('figure circle')].map("
                      "(c) => Number(c.getAttribute('cx')))")
    order = sorted(range(len(certified)), key=lambda i: certified[i]["advantage"])
    check([places[i] for i in order] == sorted(places), f"places {places}")


def main():
    compared, replayed, swept = write_pages()
    for name in ("compare.html", "replay.html", "frontier.html"):
        nothing_is_loaded(name)
    if web.chromium() is None:
        print("no chromium and chromedriver: the pages were not opened")
        return 77
    with web.Browser() as page:
        it_is_whole(page, "compare.html")
        it_is_whole(page, "replay.html")
        it_is_whole(page, "frontier.html", 1, ("polyline", "circle"))
        the_frontier_is_that(page, swept)
        page.open("file://" + os.path.abspath("replay.html"))
        check("54.72%" in page.text("#verdict"), page.text("#verdict"))
        check(str(replayed["regret"]) in page.text("#all"), "the regret is another one")
        check("recall of class -1" in page.text("#all") and "as -1" in page.text("#all"),
              "no figures of the trade")
        the_figures_are_those(page, compared)
        check("Brier" in page.text("#all"), "no figures of the trade in the comparison")
    print("the pages hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
