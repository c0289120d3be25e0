/** Shows how far the work on a page is: its elements with `data-live` follow those of the page that the server has now. */
const LOOK_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** @param {ParentNode} page */
const liveIn = (page) => [...page.querySelectorAll('[data-live]')];

/** @param {Element[]} live */
const namesOf = (live) => live.map((each) => each.getAttribute('data-live')).join();

/** @param {Element} shown @param {Element | undefined} present */
function follow(shown, present) {
  if (shown instanceof HTMLProgressElement) {
    shown.max = Number(present?.getAttribute('max') ?? 1);
    shown.value = Number(present?.getAttribute('value') ?? 0);
    return;
  }
  const text = present?.textContent ?? '';
  // Only a change is read out.
  if (shown.textContent !== text) shown.textContent = text;
}

async function look() {
  // A hidden page asks again when it is shown.
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { Accept: 'text/html' }, cache: 'no-store' });
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [shown, present] = [liveIn(document), liveIn(page)];
  // Something has begun or ended: other parts of the page differ, too.
  if (namesOf(shown) !== namesOf(present)) location.reload();
  else for (const [index, element] of shown.entries()) follow(element, present[index]);
}

/** @param {number} pause */
async function repeat(pause) {
  let next = LOOK_MS;
  try {
    await look();
  } catch {
    // The server may be restarting.
    next = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  setTimeout(repeat, next, next);
}

setTimeout(repeat, LOOK_MS, LOOK_MS);
