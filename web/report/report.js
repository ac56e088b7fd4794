// The page that `lethe compare --html`, with or without --frontier, and `lethe replay --html` write.
import {bars, chart} from '../charts.js';
import {$, empty, make, say, table} from '../dom.js';
import {count, plural, short} from '../words.js';

const COLOURS = 8;
const TABLE_ROWS = 60;

const data = JSON.parse($('data').textContent);
const isReplay = data.kind === 'replay';
const isFrontier = data.kind === 'frontier';
const drawings = []; // to repeat when the width changes

const percent = (advantage) => (Math.ceil(5000 * (1 + advantage)) / 100).toFixed(2);
const exactly = (number) => (number === null || number === undefined ? '–' : String(number));
const rounded = (number, digits) => (number === null ? '–' : number.toFixed(digits));
const digits = (number) => (number === null || number === undefined ? '–' : String(Number(number.toPrecision(5))));
const events = (n) => plural(Math.round(n), 'event');

// The certified points of a sweep, those of one way together.
function sweeps() {
  const certified = data.frontier.points.filter((point) => point.certified);
  return [...new Set(certified.map((point) => point.name))].map((name) => {
    const found = certified.filter((point) => point.name === name);
    return {...found[0], points: found, series: {index: []}};
  });
}

function found() {
  if (isFrontier) return sweeps();
  if (isReplay) return [{...data.summary, name: data.summary.mode, series: data.series[0]}];
  return data.comparison.modes.map((mode, i) => ({...mode, series: data.series[i]}));
}

// Every run that there is to show, with the class of its colour.
function runs() {
  const first = isReplay ? 1 : 0; // the first colour is the quiet one
  return found()
    .filter((run) => run.refused === undefined)
    .map((run, i) => ({...run, kind: `k${(first + i) % COLOURS}${i >= COLOURS ? ' dashed' : ''}`}));
}

const all = runs();
const quality = all.some((run) => run.accuracy !== null) ? 'accuracy' : 'mean_loss';
const qualityName = quality === 'accuracy' ? 'Accuracy' : 'Mean loss';
const last = Math.max(1, ...all.flatMap((run) => run.series.index));

function best(among) {
  const sign = quality === 'accuracy' ? 1 : -1;
  return among.reduce((a, b) => (sign * b[quality] > sign * a[quality] ? b : a));
}

function compareVerdict() {
  const certified = all.filter((run) => run.certified && run.name !== 'none');
  const without = all.find((run) => run.name === 'none');
  const deletions = Math.max(0, ...all.map((run) => run.deletions));
  const words = [`${events(data.learned)} and ${plural(deletions, 'deletion')}, ` +
    `${plural(all.length, 'way')} to deal with them.`];
  if (certified.length === 0) words.push('None of them certifies what it promises.');
  else {
    const winner = best(certified);
    words.push(`Of those that certify, ${winner.name} predicts best: ` +
      `${qualityName.toLowerCase()} ${winner[quality].toFixed(4)}` +
      (without ? `, against ${without[quality].toFixed(4)} when nobody is forgotten.` : '.'));
  }
  return words.join(' ');
}

function frontierVerdict() {
  return 'What each certified way to forget costs: the more an attacker may find out (advantage, to the ' +
    'right), the better the model. Exact ones are at 0.';
}

function replayVerdict() {
  const s = data.summary;
  const words = [`${events(s.learned + s.updates)} learned, ${count(s.forgotten_events)} of them ` +
    `forgotten, by ${plural(s.requests, 'request')}.`];
  if (s.certified) {
    words.push('Certified: from what is released after a deletion, a guess whether somebody was ' +
      `learned is right at most ${percent(s.advantage)}% of the time.`);
  } else words.push(`Not certified: ${s.why_not.join('; ')}.`);
  return words.join(' ');
}

function tile(title, number, words) {
  return make('div', {class: 'card'}, make('h2', {}, title),
    make('p', {class: 'number'}, number), make('p', {class: 'quiet'}, words));
}

function tiles() {
  if (!isReplay) return [];
  const s = data.summary;
  const deletions = s.sigma_total > 0 ? data.series[0].deletions.count : 0;
  return [
    tile(qualityName, digits(s[quality]), `predict, then learn; a constant has ${digits(s.metrics.constant[quality])}`),
    tile('Regret', s.regret === null ? '–' : short(s.regret),
      s.regret === null ? '--regret computes it' : 'more than the best model would have paid'),
    tile('Influence', `${short(s.half_life_events)} events`,
      'until half of what one event did to the model has faded'),
    tile('Noise', deletions > 0 ? short(s.sigma_total / Math.sqrt(deletions)) : '–',
      'standard deviation per deletion, root mean square'),
  ];
}

function legend(shown) {
  return make('ul', {class: 'legend'},
    ...shown.map((run) => make('li', {class: run.kind}, run.name)));
}

// A chart with its title, its legend, and the same figures as a table.
function figure(title, note, {drawing, kind = 'chart', rows, names, numbers, shown = []}) {
  const box = make('div', {class: kind});
  const card = make('figure', {class: 'card'},
    make('figcaption', {}, `${title} `, make('span', {class: 'quiet'}, note)), box);
  if (rows.length === 0) {
    box.replaceWith(empty('Nothing to draw: the stream has none of this.'));
    return card;
  }
  drawings.push(() => drawing(box));
  if (shown.length > 1) card.append(legend(shown));
  card.append(make('details', {}, make('summary', {}, 'As a table'),
    make('div', {class: 'scroll'}, table(names, rows.map((cells) => ({cells})), {numbers, caption: title}))));
  return card;
}

const points = (index, values) =>
  index.map((time, i) => ({time, value: values[i]})).filter((p) => p.value !== null);

function qualityFigure() {
  const lines = all.map((run) => ({kind: run.kind, points: points(run.series.index, run.series[quality])}));
  const longest = all.reduce((a, b) => (b.series.index.length > a.series.index.length ? b : a));
  const step = Math.max(1, Math.ceil(longest.series.index.length / TABLE_ROWS));
  const picked = longest.series.index.filter((_, i, {length}) => i % step === 0 || i === length - 1);
  const at = (line, index) => line.points.findLast((p) => p.time <= index)?.value;
  // The first figures are of a few events only, and would hide all that follows.
  const settled = lines.map((line) => ({...line, points: line.points.filter((p) => p.time >= last / 50)}));
  return figure(qualityName, `so far${marks().length > 0 ? '; ▾ somebody was forgotten' : ''}`, {
    shown: all,
    names: ['Events', ...all.map((run) => run.name)],
    numbers: all.map((_, i) => i + 1),
    rows: picked.map((index) => [count(index), ...lines.map((line) => at(line, index)?.toFixed(4) ?? '–')]),
    drawing: (box) => chart(box, {
      lines: settled, from: 0, to: last, axis: events, fromZero: false,
      marks: marks(),
      label: `${qualityName} of ${all.map((run) => `${run.name} ${rounded(run[quality], 4)}`).join(', ')}`,
    }),
  });
}

// Of a replay, as many as can be told apart.
function marks() {
  if (!isReplay) return [];
  const {index} = all[0].series.deletions;
  return index.length > 40 ? [] : index.map((time) => ({time}));
}

function regretFigure() {
  const rows = isReplay
    ? [['measured', data.summary.regret], ['bound', data.summary.regret_bound]]
    : all.map((run) => [run.name, run.regret]);
  const known = rows.filter(([, value]) => value !== null);
  const note = 'what it paid more than the best model for what is retained';
  return figure('Regret', note + (isReplay ? ', on a logarithmic scale' : ''), {
    kind: 'chart bars', names: [isReplay ? 'Which' : 'Way', 'Regret'], numbers: [1],
    rows: known.map(([name, value]) => [name, short(value)]),
    drawing: (box) => bars(box, {
      rows: known.map(([name, value]) => ({
        name, value, kind: all.find((run) => run.name === name)?.kind ?? 'k1'})),
      log: isReplay, label: `Regret: ${known.map(([name, value]) => `${name} ${short(value)}`).join(', ')}`,
    }),
  });
}

const drew = () => all.filter((run) => run.series.deletions.sigma.some((sigma) => sigma > 0));

function deletionRows(column) {
  return drew().flatMap((run) => run.series.deletions.index
    .map((index, i) => [run.name, count(index), exactly(run.series.deletions[column][i])])
    .slice(-TABLE_ROWS));
}

function noiseFigure() {
  const lines = drew().map((run) => ({
    kind: run.kind, points: points(run.series.deletions.index, run.series.deletions.sigma)}));
  return figure('Noise', 'drawn at each deletion: its standard deviation', {
    shown: drew(), names: ['Way', 'Events', 'Sigma'], numbers: [1, 2], rows: deletionRows('sigma'),
    drawing: (box) => chart(box, {
      lines, from: 0, to: last, axis: events, log: true, dots: true,
      label: `Noise per deletion: ${drew().map((run) => run.name).join(', ')}`,
    }),
  });
}

function costFigure() {
  if (isReplay) {
    const {deletions} = all[0].series;
    const line = {kind: all[0].kind, points: points(deletions.index, deletions.seconds)};
    return figure('Cost', 'seconds that each deletion took', {
      names: ['Way', 'Events', 'Seconds'], numbers: [1, 2], rows: deletionRows('seconds'),
      drawing: (box) => chart(box, {
        lines: [line], from: 0, to: last, axis: events, log: true, dots: true,
        label: `Seconds per deletion, ${short(data.deletion_seconds)} in all`,
      }),
    });
  }
  const paid = all.filter((run) => run.seconds_per_deletion !== null);
  return figure('Cost', 'seconds that a deletion takes, on a logarithmic scale', {
    kind: 'chart bars',
    names: ['Way', 'Seconds', 'Gradients', 'Bytes stored'], numbers: [1, 2, 3],
    rows: paid.map((run) => [run.name, exactly(run.seconds_per_deletion),
      exactly(run.gradients_per_deletion), count(run.bytes_stored)]),
    drawing: (box) => bars(box, {
      rows: paid.map((run) => ({name: run.name, value: run.seconds_per_deletion, kind: run.kind})),
      log: true, write: (seconds) => `${short(seconds)} s`,
      label: `Seconds per deletion: ${paid.map((run) => `${run.name} ${short(run.seconds_per_deletion)}`).join(', ')}`,
    }),
  });
}

// Logarithmic, with a place for 0 at the left of the first point.
function advantageScale(advantages) {
  const least = Math.min(0.5, ...advantages.filter((a) => a > 0)) / 2;
  const part = (a) => Math.min(1, Math.log(Math.max(a, least) / least) / Math.log(1 / least));
  return {part, ticks: [0.01, 0.03, 0.1, 0.3].filter((tick) => tick > 1.2 * least)};
}

function frontierFigure() {
  const shown = all.flatMap((run) => run.points);
  const card = figure(`${qualityName} against advantage`, 'advantage on a logarithmic scale', {
    shown: all, names: ['Way', 'Epsilon', 'Advantage', qualityName], numbers: [1, 2, 3],
    rows: shown.map((p) => [p.name, exactly(p.epsilon), rounded(p.advantage, 4), rounded(p[quality], 4)]),
    drawing: (box) => chart(box, {
      lines: all.map((run) => ({
        kind: run.kind, points: run.points.map((p) => ({time: p.advantage, value: p[quality]}))})),
      from: 0, to: 1, across: advantageScale(shown.map((p) => p.advantage)), axis: String,
      fromZero: false, dots: true, joined: true,
      label: `${qualityName} against advantage: ${all.map((run) => run.name).join(', ')}`,
    }),
  });
  card.classList.add('wide');
  return card;
}

function figuresOfFrontier() {
  return table(['Way', 'Epsilon', 'Advantage', 'Accuracy', 'Mean loss', 'Sigma', 'Certified'],
    data.frontier.points.map((p) => ({cells: [p.name, exactly(p.certificate === 'exact' ? null : p.epsilon),
      ...[p.advantage, p.accuracy, p.mean_loss].map((value) => rounded(value ?? null, 4)),
      p.sigma === null || p.sigma === undefined ? '–' : short(p.sigma), p.certificate]})),
    {numbers: [1, 2, 3, 4, 5], stacked: true, caption: 'Every way to forget, with each budget'});
}

function certificate(run) {
  if (run.refused !== undefined) return `refused: ${run.refused}`;
  if (!run.certified) return `no: ${run.why_not[0]}`;
  return run.exact ? 'exact' : 'yes';
}

function figuresOfCompare() {
  const number = (value) => (value === null || value === undefined ? '–' : short(value));
  const ofTrade = (run, names) => names.map((name) => digits(run.metrics?.[name]));
  const isRegression = all.some((run) => run.metrics?.rmse !== undefined);
  const [names, keys] = isRegression
    ? [['RMSE', 'MAE', 'R²'], ['rmse', 'mae', 'r2']]
    : [['AUC', 'Brier'], ['auc', 'brier']];
  return table(
    ['Way', 'Window', 'Accuracy', 'Mean loss', ...names, 'Regret', 'Sigma', 'ms a deletion', 'Deletions a second',
      'Gradients', 'Bytes', 'Certified'],
    data.comparison.modes.map((run) => ({cells: [run.name, run.window ?? '–',
      run.refused !== undefined ? '–' : rounded(run.accuracy, 4),
      digits(run.mean_loss), ...ofTrade(run, keys),
      number(run.regret), number(run.sigma),
      number(run.seconds_per_deletion && 1000 * run.seconds_per_deletion), number(run.deletions_per_second),
      number(run.gradients_per_deletion),
      run.bytes_stored === undefined ? '–' : count(run.bytes_stored), certificate(run)]})),
    {numbers: Array.from({length: 9 + names.length}, (_, i) => i + 1), stacked: true, caption: 'Every way to forget'},
  );
}

// The classes that came against those that were predicted; a large matrix stays in summary.json.
const CONFUSION_CLASSES = 30;
function confusionOfReplay() {
  const {confusion, classes} = data.summary.metrics;
  if (!confusion || classes.length > CONFUSION_CLASSES) return [];
  return [table(['Class', ...classes.map((one) => `as ${one.label}`), 'Recall'],
    classes.map((one, i) => ({cells: [one.label, ...confusion[i].map(digits), digits(one.recall)]})),
    {numbers: Array.from({length: classes.length + 1}, (_, i) => i + 1), caption: 'Events of each class, by the class that was predicted'})];
}

function figuresOfReplay() {
  const plain = Object.entries(data.summary)
    .filter(([name, value]) => typeof value !== 'object' && !['format', 'note'].includes(name));
  const {constant, confusion, classes, ...measured} = data.summary.metrics;
  const figures = [
    ...plain.map(([name, value]) => [name, String(value)]),
    ...Object.entries(measured).map(([name, value]) => [`metrics.${name}`, exactly(value)]),
    ...Object.entries(constant).map(([name, value]) => [`${name} of a constant`, exactly(value)]),
    ...(classes ?? []).map((one) => [`recall of class ${one.label}`, digits(one.recall)]),
  ];
  return table(['Figure', 'Value'], figures.map((cells) => ({cells})), {caption: 'summary.json'});
}

say('subtitle', document.title.replace(' – Lethe', ''));
$('tiles').append(...tiles());
if (isFrontier) {
  say('verdict', frontierVerdict());
  $('charts').append(frontierFigure());
  $('all').append(figuresOfFrontier());
} else {
  say('verdict', isReplay ? replayVerdict() : compareVerdict());
  $('charts').append(qualityFigure(), regretFigure(), noiseFigure(), costFigure());
  $('all').append(...(isReplay ? [figuresOfReplay(), ...confusionOfReplay()] : [figuresOfCompare()]));
}
say('note', 'Figures of the whole recording, deleted events included, for whoever holds it: no certificate covers them.');
say('version', `Lethe ${data.version}`);
const redraw = () => drawings.forEach((drawing) => drawing());
addEventListener('resize', redraw);
redraw();
