/** Shows how far a check or an import is, and loads the page again when it has ended. */
const POLL_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** @typedef {{ state: string, part: number, rows: number, total_rows: number | null, seconds_left: number | null }} State */

const section = document.querySelector('[data-import]');
const bar = section?.querySelector('progress');
const words = section?.querySelector('[data-progress]');
const address = section instanceof HTMLElement ? section.dataset.import : undefined;
const numbers = new Intl.NumberFormat('en-GB');

/** @param {number} seconds */
const inWords = (seconds) => {
  const minutes = Math.round(seconds / 60);
  if (seconds < 120) return `${Math.max(1, seconds)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};

/** @param {State} state */
const show = ({ part, rows, total_rows, seconds_left }) => {
  if (bar instanceof HTMLProgressElement) bar.value = part;
  const of = total_rows === null ? '' : ` of ${numbers.format(total_rows)}`;
  const left = seconds_left === null ? '' : `, about ${inWords(seconds_left)} left`;
  if (words) words.textContent = `${numbers.format(rows)}${of} rows${left}`;
};

/** @param {string} path @param {number} pause */
const poll = async (path, pause) => {
  let next = POLL_MS;
  try {
    const response = await fetch(`${path}?_format=json`, { headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(String(response.status));
    /** @type {State} */
    const state = await response.json();
    if (state.state !== 'checking' && state.state !== 'importing') {
      location.reload();
      return;
    }
    show(state);
  } catch {
    // The server may be restarting.
    next = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  setTimeout(poll, next, path, next);
};

if (address !== undefined) setTimeout(poll, POLL_MS, address, POLL_MS);
