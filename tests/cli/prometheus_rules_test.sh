#!/usr/bin/env bash
# The alert rules name metrics that exist and have their place in the docs; with promtool on the
# PATH they are also checked and tested.
set -euo pipefail
cd "$LETHE_SOURCE_DIR"
rules=configs/prometheus/alerts.yml

for metric in $(grep -oE '\blethe_[a-z_]+' "$rules" | sort -u); do
  grep -q "{\"$metric\"," metrics/catalog.cc ||
    { echo "$rules names $metric, which Lethe does not export" && exit 1; }
done
alerts=$(sed -n 's/^ *- alert: //p' "$rules")
[[ $(wc -l <<<"$alerts") == 18 ]] || { echo "there are not eighteen alerts" && exit 1; }
for alert in $alerts; do
  grep -q "^### $alert$" docs/metrics.md || { echo "docs/metrics.md lacks ### $alert" && exit 1; }
  grep -q "docs/metrics.md#${alert,,}$" "$rules" || { echo "$alert has no runbook" && exit 1; }
done

command -v promtool >/dev/null || { echo "no promtool: the rules were not run" && exit 77; }
promtool check rules --lint=all --lint-fatal "$rules"
promtool test rules configs/prometheus/alerts_test.yml
