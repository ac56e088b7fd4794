// Charts of a few hundred points, as SVG, each with a table of the same numbers.

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 136;
const LEFT = 46;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 20;

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function draw(svg, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  svg.append(element);
}

export function short(number) {
  if (number === 0) return '0';
  const size = Math.abs(number);
  if (size >= 1e5 || size < 1e-3) return number.toExponential(1).replace('.0e', 'e');
  return number.toPrecision(size < 1 ? 2 : 3).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

export const clock = (ms) => new Date(ms).toLocaleTimeString([], {hour12: false});

// A round number at or above the largest value.
function ceiling(values) {
  const largest = Math.max(...values, 1e-12);
  const unit = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((n) => n * unit).find((n) => n >= largest * 0.9999);
}

// points: [{time, value}], in order. marks: [{time}]. stems: lollipops instead of a curve.
export function chart(box, {points, marks = [], from, to, stems = false, label}) {
  const width = Math.max(220, box.clientWidth);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  const top = ceiling(points.map((p) => p.value));
  const x = (time) => LEFT + ((width - LEFT - RIGHT) * (time - from)) / (to - from);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / top;
  for (const part of [0, 0.5, 1]) {
    const at = y(top * part);
    draw(svg, 'line', {class: 'axis', x1: LEFT, x2: width - RIGHT, y1: at, y2: at});
    draw(svg, 'text', {x: LEFT - 6, y: at + 4, 'text-anchor': 'end'}, short(top * part));
  }
  draw(svg, 'text', {x: LEFT, y: HEIGHT - 5}, clock(from));
  draw(svg, 'text', {x: width - RIGHT, y: HEIGHT - 5, 'text-anchor': 'end'}, clock(to));
  for (const {time} of marks) {
    if (time < from) continue;
    const at = x(time);
    draw(svg, 'line', {class: 'mark', x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM});
    draw(svg, 'path', {class: 'flag', d: `M${at - 5} 3h10l-5 8z`});
  }
  const seen = points.filter((p) => p.time >= from);
  if (stems) {
    for (const {time, value} of seen) {
      draw(svg, 'line', {class: 'stem', x1: x(time), x2: x(time), y1: y(0), y2: y(value)});
      draw(svg, 'circle', {class: 'flag', cx: x(time), cy: y(value), r: 4});
    }
  } else if (seen.length > 0) {
    const path = seen.map((p) => `${x(p.time).toFixed(1)},${y(p.value).toFixed(1)}`).join(' ');
    draw(svg, 'polyline', {class: 'curve', points: path});
  }
  box.replaceChildren(svg);
}

// rows: arrays of text or elements. names: of the columns; `numbers`: those to align right.
export function table(names, rows, {numbers = [], stacked = false, caption} = {}) {
  const kind = (i) => (numbers.includes(i) ? {class: 'number-cell'} : {});
  const head = make('tr', {}, ...names.map((n, i) => make('th', {scope: 'col', ...kind(i)}, n)));
  const body = rows.map(({cells, mine}) => {
    const row = make('tr', mine ? {class: 'mine'} : {});
    cells.forEach((cell, i) => row.append(make('td', {'data-name': i ? names[i] : '', ...kind(i)}, cell)));
    return row;
  });
  const whole = make('table', stacked ? {class: 'stacked'} : {}, make('thead', {}, head), make('tbody', {}, ...body));
  if (caption) whole.setAttribute('aria-label', caption);
  return whole;
}
