/** Adds a button to each field of a password, which shows what was typed. */
for (const input of document.querySelectorAll('input[type=password]')) {
  if (!(input instanceof HTMLInputElement)) continue;
  const row = document.createElement('div');
  row.className = 'password';
  input.replaceWith(row);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button small quiet';
  button.setAttribute('aria-controls', input.id);
  row.append(input, button);
  const label = document.querySelector(`label[for="${input.id}"]`)?.firstChild?.textContent ?? '';
  /** @param {boolean} isShown */
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.textContent = isShown ? 'Hide' : 'Show';
    button.setAttribute('aria-label', `${button.textContent}: ${label}`);
  };
  show(false);
  button.addEventListener('click', () => show(input.type === 'password'));
  // Otherwise browsers offer the password as an entry of a text field.
  input.form?.addEventListener('submit', () => show(false));
}
