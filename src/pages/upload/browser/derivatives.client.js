/** Shows the derivatives of a node as they are made: their state, the reason of a failure, and a retry. */

/**
 * @typedef {{ id: number, label: string, media: number | null, attempts: number, message: string | null, may_retry: boolean,
 *   state: 'queued' | 'running' | 'waiting' | 'failed' | 'done' | 'cancelled' }} Job
 */

const WORDS = {
  queued: 'queued',
  running: 'is being made',
  waiting: 'waits for another derivative',
  failed: 'failed',
  done: 'made',
  cancelled: 'cancelled',
};
const RELOAD = 'All derivatives are made. Reload the page to see them.';

for (const place of document.querySelectorAll('[data-events]')) if (place instanceof HTMLElement) follow(place);

/** @param {HTMLElement} place */
function follow(place) {
  const list = place.querySelector('ul');
  const status = place.querySelector('[role=status]');
  if (list === null || status === null) return;
  /** @type {Map<number, HTMLElement>} */
  const rows = new Map();
  let wasBusy = false;
  /** The newest job at the beginning. */
  let lastBefore = Number.POSITIVE_INFINITY;
  /** @type {EventSource | undefined} */
  let source;
  connect();
  // An upload, or a retry, has queued more.
  place.addEventListener('more', connect);

  function connect() {
    source?.close();
    const events = new EventSource(place.dataset.events ?? '');
    source = events;
    events.addEventListener('jobs', ({ data }) => {
      /** @type {Job[]} */
      const jobs = JSON.parse(data);
      // The rows of the page are among the first jobs.
      if (rows.size === 0) list?.replaceChildren();
      for (const job of jobs) {
        const isOpen = job.state !== 'done' && job.state !== 'cancelled';
        if (isOpen && job.state !== 'failed') wasBusy = true;
        // What was made before is on the page already.
        if (isOpen || rows.has(job.id) || job.id > lastBefore) show(job);
      }
      if (lastBefore === Number.POSITIVE_INFINITY) lastBefore = Math.max(0, ...jobs.map(({ id }) => id));
    });
    events.addEventListener('idle', () => {
      events.close();
      if (lastBefore === Number.POSITIVE_INFINITY) lastBefore = 0;
      if (status && wasBusy && place.querySelector('.failed') === null) status.textContent = RELOAD;
    });
  }

  /** @param {Job} job */
  function show(job) {
    place.hidden = false;
    const row = rows.get(job.id) ?? document.createElement('li');
    if (!rows.has(job.id)) list?.append(row);
    rows.set(job.id, row);
    row.className = job.state;
    const name = document.createElement('bdi');
    name.textContent = job.label;
    const reason = job.message === null || job.state === 'done' ? '' : `. ${job.message}`;
    row.replaceChildren(name, `: ${WORDS[job.state]}${reason}`);
    if (job.may_retry && place.dataset.token) row.append(' ', retryButton(job));
  }

  /** @param {Job} job */
  function retryButton({ id, label }) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet small';
    button.textContent = 'Retry';
    button.setAttribute('aria-label', `Retry: ${label}`);
    button.addEventListener('click', async () => {
      button.disabled = true;
      const response = await fetch((place.dataset.retry ?? '').replace(':job', String(id)), {
        method: 'POST',
        headers: { 'X-CSRF-Token': place.dataset.token ?? '', Accept: 'application/json' },
      }).catch(() => undefined);
      button.disabled = false;
      if (response?.ok) connect();
      else if (status) status.textContent = 'The retry was not accepted. Reload the page, and try again.';
    });
    return button;
  }
}
