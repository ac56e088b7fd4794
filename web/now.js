// What is shown of now: the verdict, the figures, what went wrong.
import {$, empty, make, put, say, table} from './dom.js';
import {rate} from './history.js';
import {clock, count, duration, howSoon, modelName, moment, plural, short, sum} from './words.js';

// Bounds are rounded up.
const points = (share) => (Math.ceil(1000 * share - 1e-6) / 10).toFixed(1);
const percent = (share) => (Math.ceil(10000 * share - 1e-6) / 100).toFixed(2);

// Whether deletions leave nothing, so that there is nothing to bound and no noise to draw.
export const isExact = ({promise}) => promise !== null && promise.advantage === 0;

// What a model tells about those who were forgotten, as far as it is promised.
function promised(totals, {promise, guarantee}) {
  const model = `From model ${modelName(totals)} on, `;
  const forgotten = plural(totals.outcomes.forgotten, 'forgotten request');
  if (promise.advantage === 0)
    return `${model}models are those of a run that never learned the events of the ${forgotten}.`;
  const whom = guarantee === 'joint' ? `the ${forgotten}` : `any one of the ${forgotten}`;
  const bound = percent((1 + promise.advantage) / 2);
  return `${model}a guess whether the events of ${whom} were learned is right at most ${bound}% of the time.`;
}

export function verdict(status, now) {
  const {totals, pipeline} = status;
  if (!status.healthy)
    return [
      'bad',
      `Stopped by an error: ${status.not_ready.find((r) => r !== 'stopping') ?? 'see the log'}.`,
    ];
  if (!status.ready) {
    // Once it has begun to read, only a stop is a good reason.
    const hasBegun = status.kafka.connected_brokers !== null;
    const kind = hasBegun && !status.not_ready.includes('stopping') ? 'bad' : 'warn';
    return [kind, `Not ready: ${status.not_ready.join('; ')}.`];
  }
  if (totals.records === 0)
    return ['warn', `Ready. Topic ${pipeline.topic} has brought no event yet.`];
  const behind = totals.lag_records;
  const isKnown = behind !== null;
  const isLate = isKnown && behind > Math.max(1000, 5 * (rate() ?? 0));
  const served = sum(Object.values(totals.outcomes)) - totals.outcomes.rejected;
  const waiting = totals.pending_requests;
  const late =
    pipeline.deadline_seconds !== null &&
    totals.oldest_pending_ms !== null &&
    now - totals.oldest_pending_ms > pipeline.deadline_seconds * 1000 + 2000;
  const words = [
    !isKnown
      ? 'No broker has told how far behind this is.'
      : isLate
        ? `Catching up: ${plural(behind, 'record')} to go.`
        : 'Up to date.',
  ];
  words.push(
    served + waiting === 0
      ? 'Nobody has asked to be forgotten.'
      : `${plural(served, 'request')} served, ${waiting === 0 ? 'none' : count(waiting)} waiting` +
          (late ? ', one beyond its deadline.' : '.'),
  );
  if (totals.outcomes.rejected > 0)
    words.push(`${plural(totals.outcomes.rejected, 'request')} could not be read.`);
  if (!pipeline.certified) words.push('Deletions are not certified with this configuration.');
  else if (totals.outcomes.forgotten > 0 && pipeline.promise)
    words.push(promised(totals, pipeline));
  const isBad = late || totals.outcomes.rejected > 0;
  return [isBad ? 'bad' : isLate || !isKnown ? 'warn' : 'good', words.join(' ')];
}

export function showTiles(status, shards, now) {
  const {totals, pipeline} = status;
  const perSecond = rate();
  say(
    'rate',
    perSecond === null ? '–' : perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond)),
  );
  const newest = Math.max(...status.shards.map((s) => s.last_event_ms ?? 0), 0);
  const age =
    newest > 0 ? `; the newest event is ${duration(Math.max(0, (now - newest) / 1000))} old` : '';
  const heard = status.kafka.last_contact_ms;
  const since = heard === null ? '' : `; last word of a broker at ${clock(heard)}`;
  say(
    'lag',
    totals.lag_records === null
      ? `lag not known${since}`
      : `${plural(totals.lag_records, 'record')} behind${age}`,
  );

  const waiting = totals.pending_requests;
  say('pending', count(waiting));
  say('pending-unit', waiting === 1 ? 'request' : 'requests');
  const limit = pipeline.deadline_seconds;
  const bar = $('deadline-bar');
  bar.hidden = waiting === 0 || !limit || totals.oldest_pending_ms === null;
  const oldest =
    totals.oldest_pending_ms === null ? 0 : Math.max(0, (now - totals.oldest_pending_ms) / 1000);
  if (!bar.hidden) {
    bar.value = Math.min(1, oldest / limit);
    bar.classList.toggle('late', oldest > limit);
  }
  say(
    'deadline',
    waiting > 0 && totals.oldest_pending_ms !== null
      ? `the oldest for ${duration(oldest)}${limit ? ` of ${duration(limit)}` : ''}`
      : `each takes effect ${howSoon(limit)}`,
  );

  const {promise} = pipeline;
  if (isExact(pipeline)) {
    say('advantage', '0');
    say('promise', 'Exact: models are those of a run that never learned the forgotten events. No noise, no budget.');
  } else if (promise) {
    say('advantage', points(promise.advantage));
    say(
      'promise',
      `best advantage of any attacker: ${percent((1 + promise.advantage) / 2)} of 100 guesses are ` +
        `right, of a coin toss 50. Epsilon ${short(promise.epsilon)}, ` +
        `delta ${short(promise.delta)}, ` +
        (pipeline.guarantee === 'joint' ? 'all together' : 'each alone') +
        (promise.shards > 1
          ? `; of what ${plural(promise.shards, 'shard')} serve together, mu ${short(promise.mu)}, ` +
            `of each shard mu ${short(promise.shard_mu)}`
          : ''),
    );
  } else if (pipeline.certified) {
    say('advantage', '–');
    say('promise', 'Known when the topic has said how many partitions it has.');
  } else {
    say('advantage', 'none');
    say('promise', 'This configuration does not certify; each receipt says why.');
  }
  say('advantage-unit', promise ? 'points out of 100' : '');

  if (showExpiry(shards)) return;
  const lives = shards.map((s) => s.half_life_events).filter((h) => h !== null);
  say(
    'half-life',
    lives.length === 0 ? (shards.length ? 'never' : '–') : count(Math.round(Math.max(...lives))),
  );
  const pace =
    lives.length > 0 && perSecond > 0
      ? `, ${duration((Math.max(...lives) * shards.length) / perSecond)} at this pace`
      : '';
  say('half-life-unit', 'events');
  say('half-life-words', `until half of what one event did to the model has faded${pace}`);
}

// In a mode with a window: how far back any influence reaches, and since when nothing older has any.
function showExpiry(shards) {
  const expiries = shards.map((s) => s.expiry).filter((e) => e);
  if (expiries.length === 0) return false;
  const {retention} = expiries[0]; // "200000" events, or "30d" of event time
  const isTime = Number.isNaN(Number(retention));
  say('half-life', isTime ? retention : count(retention));
  say('half-life-unit', isTime ? 'of the stream' : shards.length > 1 ? 'events of a shard' : 'events');
  $('half-life').title = isTime ? '' : 'lethe_retention_events';
  if (expiries.some((e) => e.lacks_clock)) {
    say('half-life-words', 'is what a model may depend on, but no record has a timestamp, so nothing expires.');
    return true;
  }
  const slides = sum(expiries.map((e) => e.slides));
  if (slides === 0) {
    say('half-life-words', 'is all that a model may depend on. Nothing is that old yet.');
    return true;
  }
  const times = expiries.map((e) => e.oldest_influence_ms);
  const isKnown = times.every((time) => time !== null);
  const since = isKnown ? ` (${moment(Math.min(...times))})` : '';
  const older =
    expiries.length === 1
      ? `Nothing before event ${count(expiries[0].oldest_influence_index)}${since} has had any ` +
        `since model ${count(expiries[0].expired_since_version)}`
      : isKnown
        ? `Nothing before ${moment(Math.min(...times))} has any`
        : 'See /v1/shards for since when nothing older has any';
  say('half-life-words', `is how far back influence can reach. ${older}; ${plural(slides, 'slide')} of the window.`);
  return true;
}

const REASONS = {
  malformed: 'not readable',
  wrong_dimension: 'wrong number of features',
  oversized: 'larger than feature_norm',
  weight_out_of_range: 'a weight below 0 or above weight_bound',
  unknown_class: 'a class that the model does not have',
};

export function showSide(status, shards) {
  const rejected = Object.entries(status.totals.rejected).sort((a, b) => b[1] - a[1]);
  put($('dead'), rejected, () =>
    rejected.length === 0
      ? empty(
          'None. A record that cannot be used would be counted here by its reason, and never ' +
            'touches the model.',
        )
      : table(
          ['Reason', 'Records'],
          rejected.map(([reason, n]) => ({
            cells: [REASONS[reason] ?? reason.replaceAll('_', ' '), count(n)],
          })),
          {numbers: [1], caption: 'Refused records by reason'},
        ),
  );
  const rows = shards.map((s) => [
    String(s.shard),
    count(s.model_version),
    s.lag_records === null ? '–' : count(s.lag_records),
    count(s.pending_requests),
  ]);
  put($('shards'), rows, () =>
    rows.length === 0
      ? empty(
          'None yet: the state is being opened, or no partition is assigned ' +
            '(source.kafka.partitions).',
        )
      : table(
          ['Shard', 'Model', 'Lag', 'Waiting'],
          rows.map((cells) => ({cells})),
          {numbers: [1, 2, 3], caption: 'Shards'},
        ),
  );
  put($('errors'), status.troubles, () =>
    status.troubles.length === 0
      ? empty('None since the start.')
      : make(
          'ul',
          {},
          ...status.troubles
            .slice(0, 5)
            .map((t) => make('li', {}, `${clock(t.time_ms)} ${t.message}`)),
        ),
  );
}
