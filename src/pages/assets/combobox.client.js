/** How long a reader has stopped typing when options are fetched. */
const PAUSE_MS = 120;

/**
 * An option of a list: its text, and what is shown beside it.
 * @typedef {{ readonly text: string, readonly note: string }} Option
 */

/**
 * What a combobox does. `find` returns options, or undefined to keep the shown ones; `append` adds further ones later, below those
 * that are shown. `choose` is called with the index of an option.
 * @typedef {{
 *   readonly label: string,
 *   readonly countOf: (count: number) => string,
 *   readonly minimum: number,
 *   readonly isFilledIn: boolean,
 *   readonly find: (text: string, signal: AbortSignal, append: (options: readonly Option[]) => void)
 *     => Promise<readonly Option[] | undefined>,
 *   readonly choose: (at: number) => void,
 * }} Behaviour
 */

let boxes = 0;

/**
 * Makes an editable combobox with a list of an input (ARIA Authoring Practices). The input works as before without a choice.
 * With `isFilledIn` the input shows the active option.
 * @param {HTMLInputElement} input
 * @param {Behaviour} behaviour
 */
export function enableCombobox(input, { label, countOf, minimum, isFilledIn, find, choose }) {
  boxes += 1;
  const list = document.createElement('ul');
  list.id = `suggestions-${boxes}`;
  list.className = 'suggestions';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', label);
  list.hidden = true;
  const status = document.createElement('span');
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  input.after(list, status);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');

  /** @type {readonly Option[]} */
  let shownOptions = [];
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

  /** Closes the list, and asks for no other one. */
  function close() {
    clearTimeout(timer);
    running.abort();
    open(false);
  }

  /** @param {number} at */
  function take(at) {
    if (shownOptions[at] === undefined) return;
    close();
    choose(at);
    typed = input.value;
  }

  /**
   * @param {Option} option
   * @param {number} at
   */
  function optionOf({ text, note }, at) {
    const option = document.createElement('li');
    option.id = `${list.id}-${at}`;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    const [name, aside] = [document.createElement('bdi'), document.createElement('span')];
    name.textContent = text;
    aside.textContent = note;
    aside.className = 'soft';
    option.append(name, aside);
    // The input keeps the focus.
    option.addEventListener('pointerdown', (event) => event.preventDefault());
    option.addEventListener('click', () => take(at));
    return option;
  }

  /** @param {readonly Option[]} options */
  function show(options) {
    shownOptions = options;
    active = -1;
    list.replaceChildren(...shownOptions.map(optionOf));
    const isShown = document.activeElement === input;
    status.textContent = isShown && input.value.trim().length >= minimum ? countOf(shownOptions.length) : '';
    input.removeAttribute('aria-activedescendant');
    open(shownOptions.length > 0 && isShown);
    if (!list.hidden) list.scrollIntoView({ block: 'nearest' });
  }

  /** @param {readonly Option[]} options */
  function append(options) {
    if (options.length === 0) return;
    const before = shownOptions.length;
    shownOptions = [...shownOptions, ...options];
    list.append(...options.map((option, at) => optionOf(option, before + at)));
    const isShown = document.activeElement === input;
    if (isShown) status.textContent = countOf(shownOptions.length);
    // A list that was closed with Escape stays closed: its request was ended.
    if (isShown && list.hidden) open(true);
  }

  async function ask() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = input.value.trim();
    if (text.length < minimum) return show([]);
    try {
      const options = await find(text, signal, (more) => {
        if (!signal.aborted) append(more);
      });
      if (options !== undefined && !signal.aborted) show(options);
    } catch {
      // Another request has replaced this one, or the network is away: the form works without a list.
    }
  }

  input.addEventListener('input', () => {
    typed = input.value;
    clearTimeout(timer);
    timer = window.setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const last = shownOptions.length - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (shownOptions.length === 0) return;
      event.preventDefault();
      if (list.hidden) open(true);
      // Beyond both ends is the text that the reader has typed.
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = active + step;
      activate(next > last ? -1 : next < -1 ? last : next);
      if (isFilledIn) input.value = shownOptions[active]?.text ?? typed;
    } else if (event.key === 'Enter' && !list.hidden && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === 'Escape') {
      if (!list.hidden) {
        event.preventDefault();
        if (isFilledIn) input.value = typed;
      }
      close();
    }
  });
  input.addEventListener('blur', close);
}
