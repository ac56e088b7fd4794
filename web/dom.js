// Elements of the page.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Replaces content only when it changed, so that focus, selection and scrolling stay.
export function put(box, signature, build) {
  const text = JSON.stringify(signature);
  if (box.dataset.shown === text) return;
  box.dataset.shown = text;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  box.replaceChildren(build());
  if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

export function say(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

export const empty = (...parts) => make('p', {class: 'empty'}, ...parts);
export const code = (text) => make('code', {}, text);

// rows: arrays of text or elements. names: of the columns; `numbers`: those to align right.
export function table(names, rows, {numbers = [], stacked = false, caption} = {}) {
  const kind = (i) => (numbers.includes(i) ? {class: 'number-cell'} : {});
  const head = make('tr', {}, ...names.map((n, i) => make('th', {scope: 'col', ...kind(i)}, n)));
  const body = rows.map(({cells, mine}) => {
    const row = make('tr', mine ? {class: 'mine'} : {});
    cells.forEach((cell, i) =>
      row.append(make('td', {'data-name': i ? names[i] : '', ...kind(i)}, cell)),
    );
    return row;
  });
  const whole = make(
    'table',
    stacked ? {class: 'stacked'} : {},
    make('thead', {}, head),
    make('tbody', {}, ...body),
  );
  if (caption) whole.setAttribute('aria-label', caption);
  return whole;
}
