#!/usr/bin/env bash
# `./dev bench` works: every part with tiny streams, on the broker of the tests. Where the peers cannot
# be installed, their part says so and is left out.
set -euo pipefail
build=$(dirname "$LETHE")
# Under a sanitizer it would take minutes, and the other tests run the same code there.
case $(basename "$build") in asan* | tsan*) exit 77 ;; esac
[[ -x $build/bench/bin/fill ]] || { echo "the benchmarks are not built" && exit 77; }
rm -rf results
python3 -B "$LETHE_SOURCE_DIR/bench/run.py" --quick --build "$build" --out results
for part in "$LETHE_SOURCE_DIR"/bench/parts/*.py; do
  grep -q '^def measure' "$part" || continue
  grep -qF "\`./dev bench $(basename "$part" .py)\`" results/results.md
done
# What the documentation shows between markers is what a run gives.
python3 - "$LETHE_SOURCE_DIR/docs/performance.md" results/results.json <<'END'
import json, re, sys
with open(sys.argv[1]) as page, open(sys.argv[2]) as results:
    wanted = set(re.findall(r'<!-- begin (\S+) -->', page.read()))
    parts = json.load(results)['parts']
given = {table['name'] for part in parts.values() for table in part['tables']}
skipped = tuple(name for name, part in parts.items() if 'skipped' in part)
missing = {name for name in wanted - given if not name.startswith(skipped or ('-',))}
assert missing == {'about', 'targets', 'sizing'}, wanted ^ given
END
ls results/performance.svg
