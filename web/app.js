// The dashboard: asks the daemon every second and shows what it says. What is drawn over time is
// kept here only, because the daemon forgets at a deletion.
import {chart, clock, make, short, table} from './charts.js';

const POLL_MS = 1000;
const KEPT_MS = 10 * 60 * 1000;
const SHOWN_MS = 5 * 60 * 1000;
const FIRST_MS = 60 * 1000;

const $ = (id) => document.getElementById(id);
const count = (n) => Number(n).toLocaleString('en');
const plural = (n, thing) => `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const history = {loss: [], noise: [], marks: [], rates: []};
let before = null;  // the last shards, to see what changed
let opened = Date.now();
let shown = null;  // the receipt in the dialog
let asked = null;  // the reference of our own request
let known = new Set();  // receipts that were drawn

function duration(seconds) {
  if (seconds < 1) return 'under a second';
  if (seconds < 120) return plural(Math.round(seconds), 'second');
  if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute');
  if (seconds < 172800) return plural(Math.round(seconds / 3600), 'hour');
  return plural(Math.round(seconds / 86400), 'day');
}

// Replaces content only when it changed, so that focus, selection and scrolling stay.
function put(box, signature, build) {
  const text = JSON.stringify(signature);
  if (box.dataset.shown === text) return;
  box.dataset.shown = text;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  box.replaceChildren(build());
  if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function say(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

const empty = (...parts) => make('p', {class: 'empty'}, ...parts);
const code = (text) => make('code', {}, text);

async function ask(path, options = {}) {
  const headers = {...options.headers};
  const token = sessionStorage.getItem('token');
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(path, {...options, headers, cache: 'no-store'});
  if (reply.status === 401) throw Object.assign(new Error('token'), {needsToken: true});
  return reply;
}

const askJson = async (path) => (await ask(path)).json();

// ---- what is drawn over time ----

// The mean loss since the last look. A deletion restarts the sums; what is new after it counts.
function remember(shards, now) {
  let loss = 0;
  let events = 0;
  let deletions = 0;
  for (const shard of shards) {
    const last = before?.find((s) => s.shard === shard.shard);
    const restarted = !last || last.effective_deletions !== shard.effective_deletions || last.state !== shard.state;
    loss += shard.loss_total - (restarted ? 0 : last.loss_total);
    events += shard.loss_events - (restarted ? 0 : last.loss_events);
    if (last) deletions += shard.effective_deletions - last.effective_deletions;
  }
  if (before && events > 0) history.loss.push({time: now, value: loss / events});
  if (deletions > 0) history.marks.push({time: now, deletions});
  history.rates.push({time: now, records: sum(shards.map((s) => s.records))});
  before = shards;
}

function rememberNoise(receipts, now) {
  for (const receipt of [...receipts].reverse()) {
    if (receipt.outcome !== 'forgotten' || known.has(receipt.uuid)) continue;
    known.add(receipt.uuid);
    const at = receipt.effective.timestamp;
    const isOld = history.loss.length < 2 || (at !== null && at < opened);
    if (isOld && (at === null || at < now - SHOWN_MS || at > now)) continue;
    history.noise.push({time: isOld ? at : now, value: receipt.sigma ?? 0, request: receipt.request});
    if (isOld) opened = Math.min(opened, at);
  }
}

function trim(now) {
  for (const name of ['loss', 'noise', 'marks']) {
    history[name] = history[name].filter((p) => p.time > now - KEPT_MS);
  }
  history.rates = history.rates.filter((p) => p.time > now - 10500);
}

function rate() {
  const {rates} = history;
  if (rates.length < 2) return null;
  const [first, last] = [rates[0], rates[rates.length - 1]];
  return Math.max(0, ((last.records - first.records) * 1000) / (last.time - first.time));
}

function drawCharts(now) {
  const from = Math.min(Math.max(opened, now - SHOWN_MS), now - FIRST_MS);
  const time = {from, to: now};
  if (history.loss.length === 0) {
    put($('loss-chart'), 'empty', () => empty('Nothing was learned since this page was opened. The curve begins with the next events.'));
  } else {
    delete $('loss-chart').dataset.shown;
    const last = history.loss[history.loss.length - 1].value;
    chart($('loss-chart'), {...time, points: history.loss, marks: history.marks,
      label: `Mean loss over time, now ${short(last)}, with ${plural(history.marks.length, 'deletion mark')}`});
  }
  if (history.noise.length === 0) {
    put($('noise-chart'), 'empty', () => empty('No deletion has drawn noise lately. Each one will stand here, with how much it took.'));
  } else {
    delete $('noise-chart').dataset.shown;
    const last = history.noise[history.noise.length - 1].value;
    chart($('noise-chart'), {...time, points: history.noise, stems: true,
      label: `Noise of ${plural(history.noise.length, 'deletion')}, the last one with standard deviation ${short(last)}`});
  }
  const newest = (points) => points.slice(-60).reverse();
  $('loss-table').replaceChildren(table(['Time', 'Loss', 'Forgotten then'],
    newest(history.loss).map((p) => ({cells: [clock(p.time), p.value.toFixed(4),
      String(history.marks.find((m) => m.time === p.time)?.deletions ?? '')]})), {numbers: [1, 2], caption: 'Loss over time'}));
  $('noise-table').replaceChildren(table(['Time', 'Request', 'Sigma'],
    newest(history.noise).map((p) => ({cells: [clock(p.time), p.request ?? '–', short(p.value)]})), {numbers: [2], caption: 'Noise of each deletion'}));
}

// ---- what is shown of now ----

function verdict(status, now) {
  const {totals, pipeline} = status;
  if (!status.healthy) return ['bad', `Stopped by an error: ${status.not_ready.find((r) => r !== 'stopping') ?? 'see the log'}.`];
  if (!status.ready) return ['warn', `Not ready: ${status.not_ready.join('; ')}.`];
  if (totals.records === 0) return ['warn', `Ready. Topic ${pipeline.topic} has brought no event yet.`];
  const behind = totals.lag_records ?? 0;
  const isLate = behind > Math.max(1000, 5 * (rate() ?? 0));
  const served = sum(Object.values(totals.outcomes)) - totals.outcomes.rejected;
  const waiting = totals.pending_requests;
  const late = pipeline.deadline_seconds !== null && totals.oldest_pending_ms !== null &&
    now - totals.oldest_pending_ms > pipeline.deadline_seconds * 1000 + 2000;
  const words = [isLate ? `Catching up: ${plural(behind, 'record')} to go.` : 'Up to date.'];
  words.push(served + waiting === 0 ? 'Nobody has asked to be forgotten.'
    : `${plural(served, 'request')} served, ${waiting === 0 ? 'none' : count(waiting)} waiting${late ? ', one beyond its deadline' : ''}.`);
  if (totals.outcomes.rejected > 0) words.push(`${plural(totals.outcomes.rejected, 'request')} could not be read.`);
  if (!pipeline.certified) words.push('Deletions are not certified with this configuration.');
  else if (totals.outcomes.forgotten > 0) {
    words.push(`Model ${count(totals.model_version)} carries nothing of the ${count(totals.outcomes.forgotten)} who ${waiting === 0 ? 'asked' : 'were served'}.`);
  }
  return [late || totals.outcomes.rejected > 0 ? 'bad' : isLate ? 'warn' : 'good', words.join(' ')];
}

function showTiles(status, shards, now) {
  const {totals, pipeline} = status;
  const perSecond = rate();
  say('rate', perSecond === null ? '–' : perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond)));
  const newest = Math.max(...status.shards.map((s) => s.last_event_ms ?? 0), 0);
  const age = newest > 0 ? `; the newest event is ${duration(Math.max(0, (now - newest) / 1000))} old` : '';
  say('lag', totals.lag_records === null ? 'lag not known yet' : `${plural(totals.lag_records, 'record')} behind${age}`);

  const waiting = totals.pending_requests;
  say('pending', count(waiting));
  say('pending-unit', waiting === 1 ? 'request' : 'requests');
  const limit = pipeline.deadline_seconds;
  const bar = $('deadline-bar');
  bar.hidden = waiting === 0 || !limit || totals.oldest_pending_ms === null;
  const oldest = totals.oldest_pending_ms === null ? 0 : Math.max(0, (now - totals.oldest_pending_ms) / 1000);
  if (!bar.hidden) {
    bar.value = Math.min(1, oldest / limit);
    bar.classList.toggle('late', oldest > limit);
  }
  const allowed = limit ? `within ${duration(limit)}` : 'at once';
  say('deadline', waiting > 0 && totals.oldest_pending_ms !== null
    ? `the oldest for ${duration(oldest)}${limit ? ` of ${duration(limit)}` : ''}` : `each takes effect ${allowed}`);

  const {promise} = pipeline;
  if (promise) {
    // Bounds are rounded up.
    const points = (share) => (Math.ceil(1000 * share - 1e-6) / 10).toFixed(1);
    say('advantage', points(promise.advantage));
    say('promise', `best advantage of any attacker: ${points((1 + promise.advantage) / 2)} of 100 guesses are right, of a coin toss 50. Epsilon ${short(promise.epsilon)}, delta ${short(promise.delta)}, ${pipeline.guarantee === 'joint' ? 'all together' : 'each alone'}`);
  } else {
    say('advantage', 'none');
    say('promise', 'This configuration does not certify; each receipt says why.');
  }
  say('advantage-unit', promise ? 'points out of 100' : '');

  const lives = shards.map((s) => s.half_life_events).filter((h) => h !== null);
  say('half-life', lives.length === 0 ? (shards.length ? 'never' : '–') : count(Math.round(Math.max(...lives))));
  const pace = lives.length > 0 && perSecond > 0 ? `, ${duration((Math.max(...lives) * shards.length) / perSecond)} at this pace` : '';
  say('half-life-words', `until half of what one event did to the model has faded${pace}`);
}

const REASONS = {malformed: 'not readable', wrong_dimension: 'wrong number of features', oversized: 'larger than feature_norm'};

function showSide(status, shards) {
  const rejected = Object.entries(status.totals.rejected).sort((a, b) => b[1] - a[1]);
  put($('dead'), rejected, () => rejected.length === 0
    ? empty('None. A record that cannot be used would be counted here by its reason, and never touches the model.')
    : table(['Reason', 'Records'], rejected.map(([reason, n]) => ({cells: [REASONS[reason] ?? reason.replaceAll('_', ' '), count(n)]})), {numbers: [1], caption: 'Refused records by reason'}));
  const rows = shards.map((s) => [String(s.shard), count(s.model_version), count(s.lag_records ?? 0), count(s.pending_requests)]);
  put($('shards'), rows, () => rows.length === 0
    ? empty('None yet: the state is being opened, or no partition is assigned (source.kafka.partitions).')
    : table(['Shard', 'Model', 'Lag', 'Waiting'], rows.map((cells) => ({cells})), {numbers: [1, 2, 3], caption: 'Shards'}));
  put($('errors'), status.troubles, () => status.troubles.length === 0 ? empty('None since the start.')
    : make('ul', {}, ...status.troubles.slice(0, 5).map((t) => make('li', {}, `${clock(t.time_ms)} ${t.message}`))));
}

// ---- receipts ----

function stage(point, pending) {
  if (!point) return make('span', {class: pending ? 'stage waits' : 'stage'}, pending ? 'waits' : '–');
  return make('span', {class: 'stage done'}, point.timestamp === null ? `offset ${point.offset}` : clock(point.timestamp));
}

function receiptRow(receipt) {
  const name = receipt.request ?? receipt.uuid.slice(0, 8);
  const open = receipt.links.receipt
    ? make('button', {class: 'link', type: 'button', 'data-key': receipt.uuid, 'data-request': receipt.request ?? ''}, name) : name;
  if (receipt.links.receipt) open.addEventListener('click', () => openReceipt(receipt.uuid));
  const isForgotten = receipt.outcome === 'forgotten';
  const certified = receipt.certified === null ? '' : !isForgotten ? receipt.outcome.replaceAll('_', ' ')
    : make('span', {class: receipt.certified ? 'yes' : 'no'}, receipt.certified ? '✓ certified' : '✕ not certified');
  return {
    mine: asked !== null && receipt.request === asked,
    cells: [open, count(receipt.events), stage(receipt.received), stage(receipt.effective, true),
      stage(receipt.erased, isForgotten), receipt.sigma === null || !isForgotten ? '' : short(receipt.sigma), certified],
  };
}

function showReceipts(list) {
  put($('receipts'), [list.receipts, asked], () => list.receipts.length === 0
    ? empty('Nobody has asked yet. A request is an event in the topic, such as ', code('{"type":"delete","subject":"user-7","request":"rtbf-2291"}'), ' with the subject as its key. Its receipt appears here when it takes effect.')
    : table(['Request', 'Events', 'Received', 'Effective', 'Erased', 'Noise', 'Certificate'], list.receipts.slice(0, 25).map(receiptRow), {numbers: [1, 5], stacked: true, caption: 'Receipts, newest first'}));
  const mine = asked && list.receipts.find((r) => r.request === asked);
  if (mine && $('forget-said').dataset.done !== asked) {
    $('forget-said').dataset.done = asked;
    const open = make('button', {class: 'link', type: 'button', id: 'my-receipt'}, 'see its receipt');
    open.addEventListener('click', () => openReceipt(mine.uuid));
    const what = mine.outcome === 'forgotten'
      ? `Forgotten: ${plural(mine.events, 'event')}, effective in model ${count(mine.effective.model_version)} of shard ${mine.shard}; `
      : `${mine.outcome.replaceAll('_', ' ')}; `;
    $('forget-said').replaceChildren(what, open, '.');
  }
}

function facts(pairs) {
  return make('dl', {}, ...pairs.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

function lines(title, texts) {
  return texts.length === 0 ? [] : [make('h3', {}, title), make('ul', {}, ...texts.map((t) => make('li', {}, t)))];
}

const moment = (point) => point.timestamp === null ? `offset ${point.offset}` : `${new Date(point.timestamp).toLocaleString()} (offset ${point.offset})`;

async function openReceipt(uuid) {
  const reply = await ask(`/v1/receipts/${uuid}`);
  if (!reply.ok) return;
  const bytes = await reply.text();
  const {notices} = await askJson(`/v1/receipts/${uuid}?notices=1`);
  const receipt = JSON.parse(bytes);
  shown = {uuid, bytes};
  const erased = notices.find((n) => n.status === 'erased');
  say('certificate-title', receipt.request === null ? 'Receipt' : `Receipt of ${receipt.request}`);
  const number = (n) => (n === null ? '–' : short(n));
  $('certificate-body').replaceChildren(
    make('p', {class: 'statement'}, receipt.statement),
    facts([
      ['Certified', receipt.certified ? 'yes' : `no: ${receipt.why_not.join('; ')}`],
      ['Received', moment(receipt.received)],
      ['Effective', `${moment(receipt.effective)}, model version ${count(receipt.effective.model_version)}`],
      ['Erased', erased ? moment(erased) : 'the bytes are still on disk; a notice follows when they are gone'],
      ['Events', count(receipt.events)],
      ['Promise', `epsilon ${number(receipt.epsilon)}, delta ${number(receipt.delta)}, mu ${number(receipt.mu)}, advantage ${number(receipt.advantage)}`],
      ['Noise', `sigma ${number(receipt.sigma)} for a shift of at most ${number(receipt.shift)}, ${receipt.noise}`],
      ['Mode', `${receipt.mode}, ${receipt.guarantee}`],
      ['Receipt', code(receipt.receipt)],
      ['Entry before', code(receipt.previous)],
    ]),
    ...lines('Not covered', receipt.not_covered),
    ...lines('Assumed', receipt.assumptions));
  if (!$('certificate').open) $('certificate').showModal();
}

function download() {
  const link = make('a', {href: URL.createObjectURL(new Blob([shown.bytes], {type: 'application/json'})), download: `receipt-${shown.uuid}.json`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ---- forgetting ----

function showForget(forget) {
  $('forget-card').hidden = !forget;
  if (!forget) return;
  put($('subjects'), forget.suggestions, () => {
    const all = document.createDocumentFragment();
    all.append(...forget.suggestions.map((name) => make('option', {value: name})));
    return all;
  });
  const input = $('subject');
  // Somebody who is still there, unless a name was typed.
  if (!input.dataset.touched && forget.suggestions.length > 0 && !forget.suggestions.includes(input.value)) {
    input.value = forget.suggestions[Math.floor(Math.random() * forget.suggestions.length)];
  }
}

async function forgetSubject(event) {
  event.preventDefault();
  $('forget').disabled = true;
  say('forget-said', 'Sending.');
  try {
    const reply = await ask('/v1/forget', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({subject: $('subject').value})});
    const answer = await reply.json();
    if (!reply.ok) throw new Error(answer.error);
    asked = answer.request;
    $('subject').value = '';
    delete $('subject').dataset.touched;
    say('forget-said', `The request is in the topic as ${asked}. It takes effect when it needs little noise, or at its deadline.`);
  } catch (error) {
    say('forget-said', `That did not work: ${error.message}`);
  }
  $('forget').disabled = false;
}

// ---- the loop ----

let lastAnswer = null;

function showGone(error) {
  $('token-form').hidden = !error.needsToken;
  if (error.needsToken) return say('verdict', 'This daemon shows its figures to those who have its token.');
  $('verdict').className = 'verdict bad';
  say('verdict', lastAnswer === null ? 'The daemon does not answer.' : `The daemon does not answer. What follows is as of ${clock(lastAnswer)}.`);
  $('stale').hidden = false;
  say('stale', lastAnswer === null ? 'Not connected' : `Stale since ${clock(lastAnswer)}`);
  document.body.classList.add('gone');
}

async function look() {
  try {
    const [status, {shards}, list] = await Promise.all([askJson('/v1/status'), askJson('/v1/shards'), askJson('/v1/receipts?limit=50')]);
    const now = Date.now();
    lastAnswer = now;
    $('stale').hidden = true;
    $('token-form').hidden = true;
    document.body.classList.remove('gone');
    remember(shards, now);
    rememberNoise(list.receipts, now);
    trim(now);
    const [kind, words] = verdict(status, now);
    $('verdict').className = `verdict ${kind}`;
    say('verdict', words);
    say('pipeline', `topic ${status.pipeline.topic} · ${status.pipeline.loss} · mode ${status.pipeline.mode}`);
    say('version', `Lethe ${status.version}, up for ${duration(status.uptime_seconds)}`);
    showTiles(status, shards, now);
    showSide(status, shards);
    showForget(status.forget);
    showReceipts(list);
    drawCharts(now);
  } catch (error) {
    showGone(error);
  }
}

async function loop() {
  if (!document.hidden) await look();
  setTimeout(loop, POLL_MS);
}

$('forget-form').addEventListener('submit', forgetSubject);
$('subject').addEventListener('input', () => { $('subject').dataset.touched = '1'; });
$('close').addEventListener('click', () => $('certificate').close());
$('download').addEventListener('click', download);
$('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', $('token').value);
  look();
});
addEventListener('resize', () => { if (lastAnswer !== null) drawCharts(lastAnswer); });
loop();
