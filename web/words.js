// Numbers and times as people read them.

export function short(number) {
  if (number === 0) return '0';
  const size = Math.abs(number);
  if (size >= 1000 && size < 1e6) return count(Math.round(number));
  if (size >= 1e6 || size < 1e-3) return number.toExponential(1).replace('.0e', 'e');
  return number
    .toPrecision(size < 1 ? 2 : 3)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

// As on a certificate: six digits, of which none are made up.
export const sixDigits = (number) => String(Number(number.toPrecision(6)));

export const clock = (ms) => new Date(ms).toLocaleTimeString([], {hour12: false});
// A time, with the day unless it is today.
export const moment = (ms) =>
  new Date(ms).toDateString() === new Date().toDateString()
    ? clock(ms)
    : `${new Date(ms).toLocaleDateString([], {day: 'numeric', month: 'short', year: 'numeric'})} ${clock(ms)}`;
export const count = (n) => Number(n).toLocaleString('en');
export const plural = (n, thing) => `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

// What is learned: the loss and, for softmax, its classes. More than a few names would fill the line.
export function lossWords({loss, classes}) {
  if (!classes) return loss;
  const named = classes.length <= 6 && typeof classes[0] === 'string';
  return `${loss} over ${count(classes.length)} classes` +
    (named ? ` (${classes.join(', ')})` : '');
}

export const howSoon = (limit) => (limit ? `within ${duration(limit)}` : 'at once');

export function duration(seconds) {
  if (seconds < 1) return 'under a second';
  if (seconds < 120) return plural(Math.round(seconds), 'second');
  if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute');
  if (seconds < 172800) return plural(Math.round(seconds / 3600), 'hour');
  return plural(Math.round(seconds / 86400), 'day');
}

// The version of a model of one shard; an average of several has a name, and no number.
export const modelName = ({model_version, model_id}) =>
  model_version === null ? model_id.slice(0, 8) : count(model_version);
