import { afterPress } from './after-press.client.js';
import { problemOf } from './check-text.client.js';
import { loadedDates } from './dates.client.js';
import { setError } from './errors.client.js';
import { isBlank } from './rows.client.js';

/**
 * Checks a form while it is filled in, with the rules and messages of the server: a control when it is left, and all of
 * them before the form is sent. The server alone decides about everything else.
 */

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {{ control: HTMLElement, id: string, label: string, message: string }} Problem */

/** The buttons that send the form as a whole. */
const CHECKED = new Set(['view', 'save', 'preview']);
const CONTROLS = '[data-label]:is(input, textarea, select)';

/**
 * @param {unknown} target
 * @returns {target is Control}
 */
function isControl(target) {
  return target instanceof HTMLElement && target.matches(CONTROLS);
}

/** @param {HTMLFormElement} form */
export function enableChecks(form) {
  /**
   * The values that were found invalid, also by the server.
   * @type {WeakMap<Element, string>}
   */
  const invalid = new WeakMap();
  for (const control of form.querySelectorAll('[aria-invalid]'))
    if (isControl(control)) invalid.set(control, control.value);

  /** @param {Control} control */
  function check(control) {
    if (!control.isConnected) return;
    const wasTyped = control.value !== '' || invalid.has(control) || isEmptied(control);
    const message = textProblem(control) ?? (wasTyped ? missingProblem(control) : undefined);
    if (message !== undefined) {
      invalid.set(control, control.value);
      setError(control, message);
    } else if (invalid.has(control) && invalid.get(control) !== control.value) {
      invalid.delete(control);
      setError(control, undefined);
    }
  }

  form.addEventListener('focusout', ({ target }) => {
    if (isControl(target)) afterPress(() => check(target));
  });
  // Browsers count other units than the server, and cut off a pasted text in silence.
  form.addEventListener('focusin', ({ target }) => {
    if (isControl(target) && target.dataset.checks !== undefined) target.removeAttribute('maxlength');
  });

  // Before other listeners, which see that nothing is sent.
  form.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event;
      const button = submitter instanceof HTMLButtonElement ? submitter.value : 'view';
      if (!CHECKED.has(button)) return;
      const problems = problemsOf(form);
      if (problems.length === 0) return;
      event.preventDefault();
      for (const { control, message } of problems) {
        setError(control, message);
        if (isControl(control)) invalid.set(control, control.value);
      }
      summarize(form, problems);
    },
    { capture: true },
  );
}

/** @param {Control} control */
function isEmptied(control) {
  return !(control instanceof HTMLSelectElement) && control.value !== control.defaultValue;
}

/** @param {Control} control */
function textProblem(control) {
  const text = control.value;
  if (text === '') return undefined;
  const ofRules = control.dataset.checks && problemOf(JSON.parse(control.dataset.checks), text);
  if (ofRules || control.dataset.meaning !== 'edtf') return ofRules || undefined;
  const problem = loadedDates()?.edtfProblem(text);
  return problem && `${text} is not valid EDTF: ${problem}`;
}

/** @param {Control} control */
function missingProblem(control) {
  return control.value === '' ? control.dataset.missing : undefined;
}

/**
 * @param {HTMLFormElement} form
 * @returns {Problem[]}
 */
function problemsOf(form) {
  /** @type {Problem[]} */
  const problems = [];
  for (const control of form.querySelectorAll(`${CONTROLS}, fieldset[data-missing]`)) {
    if (!(control instanceof HTMLElement)) continue;
    const { label = '' } = control.dataset;
    if (isControl(control)) {
      const message = textProblem(control) ?? missingProblem(control);
      if (message !== undefined) problems.push({ control, id: control.id, label, message });
    } else if (control instanceof HTMLFieldSetElement) {
      const message = isWithout(control) ? control.dataset.missing : undefined;
      const first = control.querySelector(`[name]:is(input, textarea, select):not([type=hidden])`);
      setError(control, undefined);
      if (message !== undefined && first !== null) problems.push({ control, id: first.id, label, message });
    }
  }
  return problems;
}

/**
 * Returns true for a field without a value. Values that no control shows, and files, are values.
 * @param {HTMLFieldSetElement} field
 */
function isWithout(field) {
  if (field.querySelector('[name$="._rest"], .value-file') !== null) return false;
  return [...field.querySelectorAll('.value-row')].every(isBlank);
}

/**
 * Shows the same summary as the server, and moves the focus to it.
 * @param {HTMLFormElement} form
 * @param {readonly Problem[]} problems
 */
function summarize(form, problems) {
  const summary = document.createElement('section');
  summary.className = 'error-summary';
  summary.setAttribute('aria-labelledby', 'error-summary-title');
  summary.tabIndex = -1;
  const heading = document.createElement('h2');
  heading.id = 'error-summary-title';
  heading.textContent = 'There is a problem';
  const list = document.createElement('ul');
  for (const { id, label, message } of problems) {
    const [item, link] = [document.createElement('li'), document.createElement('a')];
    link.href = `#${id}`;
    link.textContent = message.startsWith(label) ? message : `${label}: ${message}`;
    item.append(link);
    list.append(item);
  }
  summary.append(heading, list);
  const shown = document.querySelector('.form-page > .error-summary');
  if (shown === null) form.before(summary);
  else shown.replaceWith(summary);
  if (!document.title.startsWith('Error: ')) document.title = `Error: ${document.title}`;
  summary.focus();
}
