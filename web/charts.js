// Charts of a few hundred points, as SVG.
import {clock, short} from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 136;
const LEFT = 46;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 20;
const BAR = 24;

function draw(svg, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  svg.append(element);
}

function picture(width, height, label) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  return svg;
}

// A round number at or above the largest value.
function ceiling(values) {
  const largest = Math.max(...values, 1e-12);
  const unit = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((n) => n * unit).find((n) => n >= largest * 0.9999);
}

// Where a value stands between 0 and 1, and where to write numbers.
function linear(values, fromZero) {
  if (fromZero) {
    const top = ceiling(values);
    return {ticks: [0, top / 2, top], part: (v) => v / top};
  }
  const step = ceiling([(Math.max(...values) - Math.min(...values)) / 2]);
  const low = Math.floor(Math.min(...values) / step) * step;
  const steps = Math.max(1, Math.ceil((Math.max(...values) - low) / step - 1e-9));
  const ticks = Array.from({length: steps + 1}, (_, i) => low + i * step);
  return {ticks, part: (v) => (v - low) / (steps * step)};
}

function logarithmic(values) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const step = Math.ceil((high - low) / 4);
  const ticks = [];
  for (let power = low; power <= high; power += step) ticks.push(10 ** power);
  return {ticks, part: (v) => (Math.log10(v) - low) / (high - low)};
}

// points: [{time, value}], in order; or lines: [{kind, points}], each with a class of its own.
// marks: [{time}]. stems: lollipops instead of a curve; dots: points alone, or `joined`. axis: writes
// a time. across: a scale of its own for the times, with {ticks, part}.
export function chart(
  box,
  {points, lines, marks = [], from, to, stems, dots, joined, log, fromZero = true, label, axis = clock, across},
) {
  const all = (lines ?? [{kind: '', points}]).map((line) => ({
    ...line,
    points: line.points.filter((p) => p.time >= from && (!log || p.value > 0)),
  }));
  const values = all.flatMap((line) => line.points.map((p) => p.value));
  const width = Math.max(220, box.clientWidth);
  const height = box.clientHeight || HEIGHT;
  const svg = picture(width, height, label);
  const scale = log && values.length > 0 ? logarithmic(values) : linear(values, fromZero);
  const part = across?.part ?? ((time) => (time - from) / (to - from));
  const x = (time) => LEFT + (width - LEFT - RIGHT) * part(time);
  const y = (value) => height - BOTTOM - (height - TOP - BOTTOM) * scale.part(value);
  for (const tick of scale.ticks) {
    const at = y(tick);
    draw(svg, 'line', {class: 'axis', x1: LEFT, x2: width - RIGHT, y1: at, y2: at});
    draw(svg, 'text', {x: LEFT - 6, y: at + 4, 'text-anchor': 'end'}, short(tick));
  }
  draw(svg, 'text', {x: LEFT, y: height - 5}, axis(from));
  draw(svg, 'text', {x: width - RIGHT, y: height - 5, 'text-anchor': 'end'}, axis(to));
  for (const tick of across?.ticks ?? []) {
    draw(svg, 'text', {x: x(tick), y: height - 5, 'text-anchor': 'middle'}, axis(tick));
  }
  for (const {time} of marks) {
    if (time < from) continue;
    const at = x(time);
    draw(svg, 'line', {class: 'mark', x1: at, x2: at, y1: TOP, y2: height - BOTTOM});
    draw(svg, 'path', {class: 'flag', d: `M${at - 5} 3h10l-5 8z`});
  }
  const base = height - BOTTOM;
  for (const {kind, points: seen} of all) {
    if (stems || dots) {
      for (const {time, value} of seen) {
        const at = {cx: x(time).toFixed(1), cy: y(value).toFixed(1)};
        if (stems) draw(svg, 'line', {class: 'stem', x1: at.cx, x2: at.cx, y1: base, y2: at.cy});
        draw(svg, 'circle', {class: stems ? 'flag' : `dot ${kind}`, ...at, r: dots ? 2.5 : 4});
      }
    }
    if ((joined || !(stems || dots)) && seen.length > 0) {
      const path = seen.map((p) => `${x(p.time).toFixed(1)},${y(p.value).toFixed(1)}`).join(' ');
      draw(svg, 'polyline', {class: `curve ${kind}`, points: path});
    }
  }
  box.replaceChildren(svg);
}

// rows: [{name, value, kind}]: a bar for each, with its name and its value written out.
export function bars(box, {rows, log, label, write = short}) {
  const width = Math.max(220, box.clientWidth);
  // Names stand before the bars, or above them where it is narrow.
  const isNarrow = width < 420;
  const names = isNarrow ? 0 : 170;
  const above = isNarrow ? 16 : 0;
  const room = width - names - 76;
  const height = rows.length * (BAR + above);
  const svg = picture(width, height, label);
  svg.setAttribute('height', height);
  const values = rows.map((r) => r.value).filter((v) => v > 0);
  const scale = log && values.length > 0 ? logarithmic(values) : linear(values, true);
  rows.forEach(({name, value, kind}, i) => {
    const top = i * (BAR + above);
    const middle = top + above + BAR / 2 + 4;
    const long = value > 0 ? Math.max(2, room * scale.part(value)) : 2;
    const at = isNarrow ? {x: 0, y: top + 14} : {x: names - 8, y: middle, 'text-anchor': 'end'};
    draw(svg, 'text', at, name);
    draw(svg, 'rect', {class: `bar ${kind}`, x: names, y: top + above + 5, width: long, height: BAR - 10});
    draw(svg, 'text', {x: names + long + 6, y: middle}, value === null ? '–' : write(value));
  });
  box.replaceChildren(svg);
}
