/**
 * Delays changes of a page that would move a button below a pressed pointer.
 */

let isPressed = false;
/** @type {(() => void)[]} */
let waiting = [];

function release() {
  isPressed = false;
  const ready = waiting;
  waiting = [];
  for (const change of ready) change();
}

addEventListener('pointerdown', () => {
  isPressed = true;
});
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => setTimeout(release));

/**
 * Calls a function at once, or when the pressed pointer is released.
 * @param {() => void} change
 */
export function afterPress(change) {
  if (isPressed) waiting.push(change);
  else change();
}
