/** How long a reader has stopped typing when suggestions are fetched. */
const PAUSE_MS = 120;
const MIN_CHARACTERS = 2;
/** @type {Readonly<Record<string, string>>} */
const KINDS = { title: 'Item', collection: 'Collection', term: 'Subject or name' };

/** @typedef {{ text: string, kind: string, url: string | null }} Suggestion */

let boxes = 0;

/**
 * Adds suggestions to a search box: an editable combobox with a list (ARIA Authoring Practices). The form works as before.
 * @param {HTMLInputElement} input
 * @param {string} address
 */
function enable(input, address) {
  boxes += 1;
  const list = document.createElement('ul');
  list.id = `suggestions-${boxes}`;
  list.className = 'suggestions';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  list.hidden = true;
  const status = document.createElement('span');
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  input.after(list, status);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');

  /** @type {Suggestion[]} */
  let found = [];
  let active = -1;
  let typed = input.value;
  let timer = 0;
  let running = new AbortController();

  /** @param {boolean} isOpen */
  function open(isOpen) {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) activate(-1);
  }

  /** @param {number} at */
  function activate(at) {
    active = at;
    for (const [each, option] of [...list.children].entries())
      option.setAttribute('aria-selected', String(each === at));
    const option = list.children[at];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {number} at */
  function choose(at) {
    const chosen = found[at];
    if (chosen === undefined) return;
    input.value = chosen.text;
    typed = chosen.text;
    open(false);
    if (chosen.url === null) input.form?.requestSubmit();
    else location.assign(chosen.url);
  }

  /** @param {Suggestion[]} suggestions */
  function show(suggestions) {
    found = suggestions;
    active = -1;
    list.replaceChildren(
      ...found.map(({ text, kind }, at) => {
        const option = document.createElement('li');
        option.id = `${list.id}-${at}`;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', 'false');
        const [name, note] = [document.createElement('bdi'), document.createElement('span')];
        name.textContent = text;
        note.textContent = KINDS[kind] ?? '';
        note.className = 'soft';
        option.append(name, note);
        // The input keeps the focus.
        option.addEventListener('pointerdown', (event) => event.preventDefault());
        option.addEventListener('click', () => choose(at));
        return option;
      }),
    );
    const count = found.length;
    status.textContent = count === 0 ? '' : `${count} ${count === 1 ? 'suggestion' : 'suggestions'}`;
    input.removeAttribute('aria-activedescendant');
    open(count > 0 && document.activeElement === input);
  }

  async function ask() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = input.value.trim();
    if (text.length < MIN_CHARACTERS) return show([]);
    try {
      const response = await fetch(`${address}?${new URLSearchParams({ q: text })}`, { signal });
      if (!response.ok) return;
      const answer = await response.json();
      if (!signal.aborted) show(answer.suggestions);
    } catch {
      // Another request has replaced this one, or the network is away: the form works without suggestions.
    }
  }

  input.addEventListener('input', () => {
    typed = input.value;
    clearTimeout(timer);
    timer = window.setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const last = found.length - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (found.length === 0) return;
      event.preventDefault();
      if (list.hidden) open(true);
      // Beyond both ends is the text that the reader has typed.
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = active + step;
      activate(next > last ? -1 : next < -1 ? last : next);
      input.value = found[active]?.text ?? typed;
    } else if (event.key === 'Enter' && !list.hidden && active >= 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      input.value = typed;
      open(false);
    }
  });
  input.addEventListener('blur', () => {
    clearTimeout(timer);
    running.abort();
    open(false);
  });
}

for (const input of document.querySelectorAll('input[data-suggest]'))
  if (input instanceof HTMLInputElement) enable(input, input.dataset.suggest ?? '');
