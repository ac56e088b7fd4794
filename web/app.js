// The dashboard: asks the daemon every second and shows what it says.
import {askJson} from './api.js';
import {$, say} from './dom.js';
import {forgetSubject, showForget} from './forget.js';
import {drawCharts, remember, rememberNoise, trim} from './history.js';
import {showSide, showTiles, verdict} from './now.js';
import {download, downloadSigned, showReceipts} from './receipts.js';
import {clock, duration, lossWords} from './words.js';

const POLL_MS = 1000;

let lastAnswer = null;
let pipeline = null;
let locked = false;

// Without the token there is nothing to show, and no use in asking again.
function lock(isLocked) {
  locked = isLocked;
  $('token-form').hidden = !isLocked;
  document.body.classList.toggle('locked', isLocked);
}

function showGone(error) {
  lock(error.needsToken === true);
  if (error.needsToken) {
    const wrong = sessionStorage.getItem('token') ? ' The one that was given is not right.' : '';
    return say('verdict', `This daemon shows its figures to those who have its token.${wrong}`);
  }
  $('verdict').className = 'verdict bad';
  say(
    'verdict',
    lastAnswer === null
      ? 'The daemon does not answer.'
      : `The daemon does not answer. What follows is as of ${clock(lastAnswer)}.`,
  );
  $('stale').hidden = false;
  say('stale', lastAnswer === null ? 'Not connected' : `Stale since ${clock(lastAnswer)}`);
  document.body.classList.add('gone');
}

async function look() {
  try {
    const [status, {shards}, list] = await Promise.all([
      askJson('/v1/status'),
      askJson('/v1/shards'),
      askJson('/v1/receipts?limit=50'),
    ]);
    const now = Date.now();
    lastAnswer = now;
    $('stale').hidden = true;
    lock(false);
    document.body.classList.remove('gone');
    remember(shards, now);
    rememberNoise(list.receipts, now);
    trim(now);
    const [kind, words] = verdict(status, now);
    $('verdict').className = `verdict ${kind}`;
    say('verdict', words);
    say(
      'pipeline',
      `topic ${status.pipeline.topic} · ${lossWords(status.pipeline)} · mode ${status.pipeline.mode}`,
    );
    say('version', `Lethe ${status.version}, up for ${duration(status.uptime_seconds)}`);
    showTiles(status, shards, now);
    showSide(status, shards);
    showForget(status.forget, status.pipeline.deadline_seconds);
    showReceipts(list);
    pipeline = status.pipeline;
    drawCharts(now, pipeline);
  } catch (error) {
    showGone(error);
  }
}

async function loop() {
  if (!document.hidden && !locked) await look();
  setTimeout(loop, POLL_MS);
}

$('forget-form').addEventListener('submit', forgetSubject);
$('subject').addEventListener('input', () => {
  $('subject').dataset.touched = '1';
});
$('close').addEventListener('click', () => $('certificate').close());
$('download').addEventListener('click', download);
$('download-signed').addEventListener('click', downloadSigned);
$('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', $('token').value);
  look();
});
addEventListener('resize', () => {
  if (lastAnswer !== null) drawCharts(lastAnswer, pipeline);
});
loop();
