/** How long a button says that it has copied. */
const COPIED_MS = 2000;

const status = document.createElement('span');
status.className = 'unseen';
status.setAttribute('role', 'status');

/**
 * Shows a button and lets it copy the element that it names: the value of a field, or the text.
 * @param {HTMLButtonElement} button
 */
function enable(button) {
  const source = document.getElementById(button.dataset.copies ?? '');
  const words = button.firstChild;
  if (source === null || words === null) return;
  const before = words.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = source instanceof HTMLTextAreaElement ? source.value : (source.textContent ?? '');
    try {
      await navigator.clipboard.writeText(text.trim());
      words.textContent = 'Copied';
    } catch {
      // The reader or the browser has forbidden it.
      words.textContent = 'Select and copy the text';
    }
    status.textContent = words.textContent;
    setTimeout(() => {
      words.textContent = before;
      status.textContent = '';
    }, COPIED_MS);
  });
}

// Only secure addresses have a clipboard.
if (navigator.clipboard !== undefined) {
  document.body.append(status);
  for (const button of document.querySelectorAll('button[data-copies]'))
    if (button instanceof HTMLButtonElement) enable(button);
}
