// The table of receipts, and a receipt in full.
import {ask, askJson} from './api.js';
import {$, code, empty, make, put, say, table} from './dom.js';
import {asked} from './forget.js';
import {clock, count, plural, sixDigits} from './words.js';

let shown = null; // the receipt in the dialog

function stage(point, pending) {
  if (!point)
    return make('span', {class: pending ? 'stage waits' : 'stage'}, pending ? 'waits' : '–');
  return make(
    'span',
    {class: 'stage done'},
    point.timestamp === null ? `offset ${point.offset}` : clock(point.timestamp),
  );
}

function receiptRow(receipt) {
  const name = receipt.request ?? receipt.uuid.slice(0, 8);
  const open = receipt.links.receipt
    ? make(
        'button',
        {
          class: 'link',
          type: 'button',
          'data-key': receipt.uuid,
          'data-request': receipt.request ?? '',
        },
        name,
      )
    : name;
  if (receipt.links.receipt) open.addEventListener('click', () => openReceipt(receipt.uuid));
  const isForgotten = receipt.outcome === 'forgotten';
  const certified =
    receipt.certified === null
      ? ''
      : !isForgotten
        ? receipt.outcome.replaceAll('_', ' ')
        : make(
            'span',
            {class: receipt.certified ? 'yes' : 'no'},
            receipt.certified ? '✓ certified' : '✕ not certified',
          );
  return {
    mine: asked !== null && receipt.request === asked,
    cells: [
      open,
      count(receipt.events),
      stage(receipt.received),
      stage(receipt.effective, true),
      stage(receipt.erased, isForgotten),
      receipt.sigma === null || !isForgotten ? '' : sixDigits(receipt.sigma),
      certified,
    ],
  };
}

export function showReceipts(list) {
  put($('receipts'), [list.receipts, asked], () =>
    list.receipts.length === 0
      ? empty(
          'Nobody has asked yet. A request is an event in the topic, such as ',
          code('{"type":"delete","subject":"user-7","request":"rtbf-2291"}'),
          ' with the subject as its key. Its receipt appears here when it takes effect.',
        )
      : table(
          ['Request', 'Events', 'Received', 'Effective', 'Erased', 'Noise', 'Certificate'],
          list.receipts.slice(0, 25).map(receiptRow),
          {numbers: [1, 5], stacked: true, caption: 'Receipts, newest first'},
        ),
  );
  const mine = asked && list.receipts.find((r) => r.request === asked);
  if (mine && $('forget-said').dataset.done !== asked) {
    $('forget-said').dataset.done = asked;
    const open = make(
      'button',
      {class: 'link', type: 'button', id: 'my-receipt'},
      'see its receipt',
    );
    open.addEventListener('click', () => openReceipt(mine.uuid));
    const what =
      mine.outcome === 'forgotten'
        ? `Forgotten: ${plural(mine.events, 'event')}, effective in model ` +
          `${count(mine.effective.model_version)} of shard ${mine.shard}; `
        : `${mine.outcome.replaceAll('_', ' ')}; `;
    $('forget-said').replaceChildren(what, open, '.');
  }
}

function facts(pairs) {
  return make(
    'dl',
    {},
    ...pairs.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  );
}

function lines(title, texts) {
  return texts.length === 0
    ? []
    : [make('h3', {}, title), make('ul', {}, ...texts.map((t) => make('li', {}, t)))];
}

const moment = (point) =>
  point.timestamp === null
    ? `offset ${point.offset}`
    : `${new Date(point.timestamp).toLocaleString()} (offset ${point.offset})`;

export async function openReceipt(uuid) {
  const reply = await ask(`/v1/receipts/${uuid}`);
  if (!reply.ok) return;
  const bytes = await reply.text();
  const {notices} = await askJson(`/v1/receipts/${uuid}?notices=1`);
  const receipt = JSON.parse(bytes);
  shown = {uuid, bytes};
  const erased = notices.find((n) => n.status === 'erased');
  say('certificate-title', receipt.request === null ? 'Receipt' : `Receipt of ${receipt.request}`);
  const number = (n) => (n === null ? '–' : sixDigits(n));
  const notErased =
    receipt.outcome === 'forgotten'
      ? 'not yet; a notice follows when the bytes are gone from the disk'
      : 'nothing was learned under this name, so there is nothing to erase';
  $('certificate-body').replaceChildren(
    make('p', {class: 'statement'}, receipt.statement),
    facts([
      ['Certified', receipt.certified ? 'yes' : `no: ${receipt.why_not.join('; ')}`],
      ['Received', moment(receipt.received)],
      [
        'Effective',
        `${moment(receipt.effective)}, model version ` +
          `${count(receipt.effective.model_version)} of shard ${receipt.shard}`,
      ],
      [
        'Erased',
        erased ? moment(erased) : notErased,
      ],
      ['Events', count(receipt.events)],
      [
        'Promise',
        `epsilon ${number(receipt.epsilon)}, delta ${number(receipt.delta)}, ` +
          `mu ${number(receipt.mu)}, advantage ${number(receipt.advantage)}` +
          (receipt.shards > 1
            ? `, of ${plural(receipt.shards, 'shard')} together; of this one mu ` +
              number(receipt.shard_mu)
            : ''),
      ],
      [
        'Noise',
        `sigma ${number(receipt.sigma)} for a shift of at most ${number(receipt.shift)}, ` +
          `source ${receipt.noise}`,
      ],
      ['Mode', `${receipt.mode}, ${receipt.guarantee}`],
      ['Receipt', code(receipt.receipt)],
      ['Entry before', code(receipt.previous)],
    ]),
    ...lines('Not covered', receipt.not_covered),
    ...lines('Assumed', receipt.assumptions),
  );
  if (!$('certificate').open) $('certificate').showModal();
}

export const download = () => save(shown.bytes, `receipt-${shown.uuid}.json`);

export async function downloadSigned() {
  const {uuid} = shown;
  const reply = await ask(`/v1/receipts/${uuid}?envelope=1`);
  if (reply.ok) save(await reply.text(), `receipt-${uuid}.dsse.json`);
}

function save(text, name) {
  const link = make('a', {
    href: URL.createObjectURL(new Blob([text], {type: 'application/json'})),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
