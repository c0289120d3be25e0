/**
 * Shows an error beside a control as the server does, or removes it.
 * @param {HTMLElement} control an input, select or text area; or the field set of a field with several values
 * @param {string | undefined} message
 */
export function setError(control, message) {
  const isFields = control instanceof HTMLFieldSetElement;
  const holder = isFields ? control : control.closest('.field');
  const id = isFields ? `${control.dataset.field}-field-error` : `${control.id}-error`;
  const shown = document.getElementById(id);
  const isWrong = message !== undefined;
  holder?.classList.toggle('invalid', isWrong);
  if (!isFields) {
    const others = (control.getAttribute('aria-describedby') ?? '').split(' ').filter((each) => each && each !== id);
    const described = [...others, ...(isWrong ? [id] : [])].join(' ');
    if (described === '') control.removeAttribute('aria-describedby');
    else control.setAttribute('aria-describedby', described);
    if (isWrong) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  }
  if (!isWrong) return void shown?.remove();
  const error = document.createElement('p');
  error.className = 'error';
  error.id = id;
  const unseen = document.createElement('span');
  unseen.className = 'unseen';
  unseen.textContent = 'Error: ';
  error.append(unseen, message);
  if (shown !== null) return void shown.replaceWith(error);
  const before = isFields ? control.querySelector(':scope > .value-rows') : control;
  before?.before(error);
}
