// Asking for somebody to be forgotten, where the daemon takes such requests.
import {ask} from './api.js';
import {$, make, put, say} from './dom.js';
import {howSoon} from './words.js';

export let asked = null; // the reference of our own request
let deadline = null;

// `limit`: the seconds within which a request takes effect.
export function showForget(forget, limit) {
  deadline = limit;
  $('forget-card').hidden = !forget;
  if (!forget) return;
  put($('subjects'), forget.suggestions, () => {
    const all = document.createDocumentFragment();
    all.append(...forget.suggestions.map((name) => make('option', {value: name})));
    return all;
  });
  const input = $('subject');
  // Somebody who is still there, unless a name was typed.
  if (
    !input.dataset.touched &&
    forget.suggestions.length > 0 &&
    !forget.suggestions.includes(input.value)
  ) {
    input.value = forget.suggestions[Math.floor(Math.random() * forget.suggestions.length)];
  }
}

export async function forgetSubject(event) {
  event.preventDefault();
  $('forget').disabled = true;
  say('forget-said', 'Sending.');
  try {
    const reply = await ask('/v1/forget', {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({subject: $('subject').value}),
    });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(answer.error);
    asked = answer.request;
    $('subject').value = '';
    delete $('subject').dataset.touched;
    say('forget-said', `The request is in the topic as ${asked}. It takes effect ${howSoon(deadline)}.`);
  } catch (error) {
    say('forget-said', `That did not work: ${error.message}`);
  }
  $('forget').disabled = false;
}
