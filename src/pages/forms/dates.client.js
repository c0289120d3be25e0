/** How long an editor has stopped typing when a problem is named: most dates are invalid while they are typed. */
const PAUSE_MS = 500;

/**
 * The functions of the server for dates, as a module for browsers.
 * @typedef {{ dateInWords: (text: string) => string, edtfProblem: (text: string) => string | undefined }} Dates
 */

/** @type {Promise<Dates> | undefined} */
let loading;
/** @type {Dates | undefined} */
let loaded;

/**
 * Loads the functions of the server for dates.
 * @param {string} address
 * @returns {Promise<Dates>}
 */
function loadDates(address) {
  loading ??= import(address).then((dates) => {
    loaded = dates;
    return dates;
  });
  return loading;
}

/** Returns the functions for dates, if a date was typed. */
export function loadedDates() {
  return loaded;
}

/**
 * Shows below a date what it means while it is typed, and offers to write a range.
 * @param {HTMLInputElement} input
 */
export function enableDate(input) {
  const { dates: address = '' } = input.dataset;
  const meaning = document.createElement('p');
  meaning.className = 'meaning';
  meaning.setAttribute('role', 'status');
  const { button, range } = rangeOf(input);
  const notes = document.createElement('div');
  notes.className = 'date-notes';
  // In this order, the button stays where it is when the meaning appears.
  notes.append(button, meaning);
  input.after(notes, range);
  let timer = 0;

  /** @param {boolean} isTyping */
  async function show(isTyping) {
    const text = input.value;
    if (text.trim() === '') {
      meaning.textContent = '';
      return;
    }
    const { dateInWords, edtfProblem } = await loadDates(address);
    if (input.value !== text) return;
    const problem = edtfProblem(text);
    if (problem === undefined) meaning.textContent = `Shown as “${dateInWords(text)}”`;
    else if (!isTyping) meaning.textContent = `Not a date yet: ${problem}`;
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void show(false), PAUSE_MS);
    void show(true);
  });
  if (input.value !== '') void show(false);
}

/**
 * Returns the button of the helper for ranges, and the helper: it has two dates, and writes them as one text.
 * @param {HTMLInputElement} input
 */
function rangeOf(input) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'row-button';
  const place = document.createElement('span');
  place.className = 'unseen';
  place.textContent = ` of ${input.closest('fieldset')?.dataset.label ?? input.labels?.[0]?.textContent ?? ''}`;
  button.append('Range…', place);
  button.setAttribute('aria-expanded', 'false');
  const range = document.createElement('fieldset');
  range.className = 'date-range';
  range.hidden = true;
  const legend = document.createElement('legend');
  legend.textContent = 'Range of dates';
  const from = labelled('From', 'text');
  const fromAbout = labelled('about', 'checkbox');
  const to = labelled('To', 'text');
  const toAbout = labelled('about', 'checkbox');
  const open = labelled('No end: it continues', 'checkbox');
  const actions = document.createElement('div');
  actions.className = 'row-buttons';
  const use = document.createElement('button');
  use.type = 'button';
  use.className = 'button small';
  use.textContent = 'Use this range';
  const cancel = document.createElement('button');
  cancel.type = 'button';
  cancel.className = 'row-button';
  cancel.textContent = 'Cancel';
  actions.append(use, cancel);
  range.append(legend, from.part, fromAbout.part, to.part, toAbout.part, open.part, actions);

  /** @param {boolean} isOpen */
  function toggle(isOpen) {
    range.hidden = !isOpen;
    button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return void input.focus();
    const [first = '', last = ''] = input.value.split('/');
    for (const [{ control }, about, text] of /** @type {const} */ ([
      [from, fromAbout, first],
      [to, toAbout, last],
    ])) {
      about.control.checked = text.endsWith('~');
      control.value = text === '..' ? '' : text.replace(/~$/, '');
    }
    open.control.checked = input.value.includes('/') && ['', '..'].includes(last);
    showEnd();
    from.control.focus();
  }

  function showEnd() {
    to.control.disabled = open.control.checked;
    toAbout.control.disabled = open.control.checked;
  }

  function write() {
    const first = from.control.value.trim();
    const last = to.control.value.trim();
    const end = open.control.checked || last === '' ? '..' : last + (toAbout.control.checked ? '~' : '');
    input.value = `${first === '' ? '..' : first + (fromAbout.control.checked ? '~' : '')}/${end}`;
    toggle(false);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  button.addEventListener('click', () => toggle(Boolean(range.hidden)));
  open.control.addEventListener('input', showEnd);
  use.addEventListener('click', write);
  cancel.addEventListener('click', () => toggle(false));
  range.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') toggle(false);
    // The return key would send the form.
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    write();
  });
  return { button, range };
}

/**
 * Returns a control within its label. It has no name: the form does not send it.
 * @param {string} text
 * @param {'text' | 'checkbox'} type
 */
function labelled(text, type) {
  const part = document.createElement('label');
  const control = document.createElement('input');
  control.type = type;
  if (type === 'text') {
    control.autocomplete = 'off';
    part.append(text, control);
  } else part.append(control, text);
  part.className = type;
  return { part, control };
}
