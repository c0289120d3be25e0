/** Shows the progress of a change of many items, and opens its page again when it has ended. */
const INTERVAL_MS = 1_000;
const NUMBER = new Intl.NumberFormat('en');

const section = document.querySelector('section[data-run]');
if (section instanceof HTMLElement) follow(section, section.dataset.run ?? '');

/**
 * @param {HTMLElement} shown
 * @param {string} address
 */
function follow(shown, address) {
  const bar = shown.querySelector('progress');
  const text = shown.querySelector('[data-progress]');

  async function look() {
    // A hidden page asks again when it is shown.
    if (document.hidden) return;
    const response = await fetch(`${address}?_format=json`, { cache: 'no-store' });
    if (!response.ok) return;
    const { state, counts, seconds_left } = await response.json();
    if (state !== 'running' && state !== 'preparing') {
      location.reload();
      return;
    }
    const total = Number(bar?.max);
    const processed = total - counts.waiting;
    if (bar !== null) bar.value = processed;
    const left = seconds_left === undefined ? '' : `, ${leftText(seconds_left)} left`;
    if (text !== null) text.textContent = `${NUMBER.format(processed)} of ${NUMBER.format(total)}${left}`;
  }

  // A failed request is followed by the next one.
  setInterval(() => look().catch(() => {}), INTERVAL_MS);
}

/** @param {number} seconds */
function leftText(seconds) {
  if (seconds < 60) return `about ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  const minutes = Math.round(seconds / 60);
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
