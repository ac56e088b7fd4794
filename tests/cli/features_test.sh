#!/usr/bin/env bash
# Maps of features from a configuration to receipts and models: every map in every command, and what is refused.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty

python3 - <<'PYTHON'
import json, random
random.seed(1)
with open("events.ndjson", "w") as out:
    for i in range(600):
        carrier, hour = random.choice(["UA", "DL", "WN"]), random.randrange(4)
        late = (carrier == "UA") == (hour < 2)
        text = " ".join(random.choice(["Cheap", "far", "NEW", "old"]) for _ in range(3))
        out.write(json.dumps({"type": "learn", "id": f"e{i}", "subject": f"p{i % 40}",
            "f": {"carrier=" + carrier: 1, f"hour={hour}": 1, "miles": random.gauss(800, 300), "note": text},
            "y": 1 if late else -1}) + "\n")
    out.write('{"type":"delete","subject":"p7","request":"r1"}\n')
PYTHON
echo '{"names":["miles"],"mean":[800],"deviation":[300]}' >scale.json
cat >maps.yaml <<'YAML'
model: {hash_bits: 10, bias: true, lambda: 1.0e-4}
features:
  text: ngrams
  scale: scale.json
  cross: [[carrier, hour]]
  clip: 3
  normalise: l2
learning: {eta: 0.5}
YAML
sed 's/normalise: l2/&\n  fourier: {dimension: 256, gamma: 0.5, seed: 2}/' maps.yaml >fourier.yaml

for config in maps fourier; do
  expect 0 'certified   yes' "$LETHE" check $config.yaml
  expect 0 'not covered What the means and deviations of features.scale tell' "$LETHE" check $config.yaml
  expect 0 '"not_covered":["What the means' "$LETHE" check $config.yaml --json
  expect 0 '' "$LETHE" replay events.ndjson --config $config.yaml --out $config
  expect 0 '"certified":true' cat $config/receipts.ndjson
  expect 0 'features.scale' cat $config/receipts.ndjson
  expect 0 '"names":["miles"],"mean":[800],"deviation":[300]' cat $config/model.json
  expect 0 '' bash -c "'$LETHE' model export $config --format json | cmp - $config/model.json"
  expect 0 '' "$LETHE" model export $config --format onnx --out $config.onnx
  expect 0 'rewind' "$LETHE" compare events.ndjson --config $config.yaml --modes none,rewind,passive
  # Whether a flight is late is a matter of carrier and hour together.
  expect 0 'learned 600' python3 -c '
import json, sys
summary = json.load(open(sys.argv[1] + "/summary.json"))
print("learned", summary["learned"], "accuracy", summary["accuracy"])
sys.exit(summary["accuracy"] < 0.68)' $config
  expect 0 'tuned_on: private' "$LETHE" tune events.ndjson --config $config.yaml --runs 5
  expect 0 'scale: scale.json' "$LETHE" tune events.ndjson --config $config.yaml --runs 5
done

# The same stream in binary, with its texts.
expect 0 '' "$LETHE" convert events.ndjson events.lethe
printf 'noise: {source: seeded}\n' | cat maps.yaml - >seeded.yaml
for form in ndjson lethe; do
  expect 0 '' "$LETHE" replay events.$form --config seeded.yaml --out seeded-$form
done
expect 0 '' cmp seeded-ndjson/model.json seeded-lethe/model.json
expect 0 '' "$LETHE" convert events.lethe again.ndjson
expect 0 '' "$LETHE" convert again.ndjson again.lethe
expect 0 '' cmp events.lethe again.lethe

# A public scale leaves nothing to say, and is another certificate.
echo '{"public":true,"names":["miles"],"mean":[800],"deviation":[300]}' >public.json
sed 's/scale.json/public.json/' maps.yaml >public.yaml
expect 0 '' bash -c "! '$LETHE' check public.yaml | grep -q 'not covered'"

# Bad input is refused with its place, and nothing is written.
# refused "MESSAGE" "FEATURES" ["MODEL"]
refused() {
  printf 'model: %s\nfeatures: %s\n' "${3:-{hash_bits: 10\}}" "$2" >bad.yaml
  expect 78 "bad.yaml:2: features.$1" "$LETHE" check bad.yaml
  expect 78 "bad.yaml:2: features.$1" "$LETHE" replay events.ndjson --config bad.yaml --out bad
  absent bad
}
refused 'cross[1]: is not a pair' '{cross: [[a, b], [c]]}'
refused 'cross[0]: "" is empty' '{cross: [[a, ""]]}'
refused 'cross: a namespace has ^ or =' '{cross: [["a=b", c]]}'
refused 'cross: a pair is listed twice' '{cross: [[a, b], [b, a]]}'
refused 'cross: features x have no names' '{cross: [[a, b]]}' '{dimension: 2}'
refused 'text: features x have no names' '{text: words}' '{dimension: 2}'
refused 'text: "letters" is unknown' '{text: letters}'
refused 'clip: "0" is out of range' '{clip: 0}'
refused 'clip: ".nan"' '{clip: .nan}'
refused 'fourier.dimension: must be an even number' '{fourier: {dimension: 7}}'
refused 'fourier.dimension: "1000000" is out of range' '{fourier: {dimension: 1000000}}'
refused 'fourier.dimension: 32768 directions in 1024 features are 33554432 numbers' '{fourier: {dimension: 65536}}'
refused 'fourier.gamma: "0" is out of range' '{fourier: {dimension: 8, gamma: 0}}'
refused 'normalise: makes rows of norm 1' '{normalise: l2}' '{dimension: 2, feature_norm: 0.5}'
refused 'scale: none.json: cannot read' '{scale: none.json}'
scale() {
  echo "$2" >bad.json
  refused "scale: bad.json$1" '{scale: bad.json}' '{dimension: 2}'
}
scale ' has 3 means, and model.dimension is 2' '{"mean":[1,2,3],"deviation":[1,2,3]}'
scale ' has 2 means and 1 deviations' '{"mean":[1,2],"deviation":[1]}'
scale ': feature 1 has a deviation that is not above 0' '{"mean":[1,2],"deviation":[1,0]}'
scale ': has a number that no double can hold' '{"mean":[1,1e999],"deviation":[1,1]}'
scale ': mean[1] is not a number' '{"mean":[1,null],"deviation":[1,1]}'
scale ': lacks mean or deviation' '{"mean":[1,2]}'
scale ': is no JSON object' '[1,2'
scale ': public is neither true nor false' '{"public":"no","mean":[1,2],"deviation":[1,1]}'
echo '{"mean":[1],"deviation":[1]}' >bad.json
refused 'scale: bad.json has no names' '{scale: bad.json}'

# A text without features.text is a bad event with a remedy.
printf 'model: {hash_bits: 10, oversized: rescale}\n' >plain.yaml
expect 65 'features.text' "$LETHE" replay events.ndjson --config plain.yaml
finish
