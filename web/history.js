// What is drawn over time. It is kept here only, because the daemon forgets at a deletion.
import {chart} from './charts.js';
import {$, code, empty, put, table} from './dom.js';
import {clock, plural, short, sixDigits, sum} from './words.js';

const KEPT_MS = 10 * 60 * 1000;
const SHOWN_MS = 5 * 60 * 1000;
const FIRST_MS = 60 * 1000;

const history = {loss: [], noise: [], marks: [], rates: []};
let before = null; // the last shards, to see what changed
let opened = Date.now();
let hidesLoss = false; // no figure without noise is released
let known = new Set(); // receipts that were drawn

// The mean loss since the last look. A deletion restarts the sums, and so does expiry; what is new
// after it counts.
export function remember(shards, now) {
  let loss = 0;
  let events = 0;
  let deletions = 0;
  for (const shard of shards) {
    const last = before?.find((s) => s.shard === shard.shard);
    // An expired event takes the sums with it too, and so does a request that may name one.
    const restarted =
      !last ||
      last.effective_deletions !== shard.effective_deletions ||
      last.state !== shard.state ||
      last.expiry?.slides !== shard.expiry?.slides ||
      last.outcomes?.not_retained !== shard.outcomes?.not_retained;
    // Null where no figure without noise is released; then there is nothing to draw.
    loss += (shard.loss_total ?? 0) - (restarted ? 0 : last.loss_total ?? 0);
    events += (shard.loss_events ?? 0) - (restarted ? 0 : last.loss_events ?? 0);
    if (last) deletions += shard.effective_deletions - last.effective_deletions;
  }
  if (before && events > 0) history.loss.push({time: now, value: loss / events});
  if (deletions > 0) history.marks.push({time: now, deletions});
  history.rates.push({time: now, records: sum(shards.map((s) => s.records))});
  before = shards;
  hidesLoss = shards.some((s) => s.loss_total === null);
}

export function rememberNoise(receipts, now) {
  for (const receipt of [...receipts].reverse()) {
    if (receipt.outcome !== 'forgotten' || known.has(receipt.uuid)) continue;
    known.add(receipt.uuid);
    const at = receipt.effective.timestamp;
    const isOld = history.loss.length < 2 || (at !== null && at < opened);
    if (isOld && (at === null || at < now - SHOWN_MS || at > now)) continue;
    history.noise.push({
      time: isOld ? at : now,
      value: receipt.sigma ?? 0,
      request: receipt.request,
    });
    if (isOld) opened = Math.min(opened, at);
  }
  known = new Set(receipts.filter((r) => r.outcome === 'forgotten').map((r) => r.uuid));
}

export function trim(now) {
  for (const name of ['loss', 'noise', 'marks']) {
    history[name] = history[name].filter((p) => p.time > now - KEPT_MS);
  }
  history.rates = history.rates.filter((p) => p.time > now - 10500);
}

export function rate() {
  const {rates} = history;
  if (rates.length < 2) return null;
  const [first, last] = [rates[0], rates[rates.length - 1]];
  return Math.max(0, ((last.records - first.records) * 1000) / (last.time - first.time));
}

export function drawCharts(now, {topic, mode, promise}) {
  const from = Math.min(Math.max(opened, now - SHOWN_MS), now - FIRST_MS);
  const time = {from, to: now};
  if (history.loss.length === 0) {
    put($('loss-chart'), ['empty', topic, hidesLoss], () =>
      hidesLoss
        ? empty(
            'Not shown. The promise of this mode holds even if people react to what is released, ',
            'and a loss carries no noise.',
          )
        : empty(
            'Nothing was learned since this page was opened. The curve begins with the next event ',
            'in topic ',
            code(topic),
            ', such as ',
            code('{"type":"learn","id":"e-1","x":[0.1,0.7],"y":1}'),
            ' with the subject as its key.',
          ),
    );
  } else {
    delete $('loss-chart').dataset.shown;
    const last = history.loss[history.loss.length - 1].value;
    chart($('loss-chart'), {
      ...time,
      points: history.loss,
      marks: history.marks,
      label:
        `Mean loss over time, now ${short(last)}, ` +
        `with ${plural(history.marks.length, 'deletion mark')}`,
    });
  }
  if (promise?.advantage === 0) {
    put($('noise-chart'), ['exact', mode], () =>
      empty(
        `None. Mode ${mode} is exact: it learns the events after a deleted one again, and hides `,
        'nothing under noise.',
      ),
    );
  } else if (history.noise.length === 0) {
    put($('noise-chart'), 'empty', () =>
      empty('No deletion has drawn noise lately. Each one will stand here, with how much it took.'),
    );
  } else {
    delete $('noise-chart').dataset.shown;
    const last = history.noise[history.noise.length - 1].value;
    chart($('noise-chart'), {
      ...time,
      points: history.noise,
      stems: true,
      label:
        `Noise of ${plural(history.noise.length, 'deletion')}, ` +
        `the last one with standard deviation ${short(last)}`,
    });
  }
  const newest = (points) => points.slice(-60).reverse();
  $('loss-table').replaceChildren(
    table(
      ['Time', 'Loss', 'Forgotten then'],
      newest(history.loss).map((p) => ({
        cells: [
          clock(p.time),
          p.value.toFixed(4),
          String(history.marks.find((m) => m.time === p.time)?.deletions ?? ''),
        ],
      })),
      {numbers: [1, 2], caption: 'Loss over time'},
    ),
  );
  $('noise-table').replaceChildren(
    table(
      ['Time', 'Request', 'Sigma'],
      newest(history.noise).map((p) => ({
        cells: [clock(p.time), p.request ?? '–', sixDigits(p.value)],
      })),
      {numbers: [2], caption: 'Noise of each deletion'},
    ),
  );
}
