/** Moves the focus to the errors of a form, so that a screen reader begins there. */
const summary = document.querySelector('[data-focus]');
if (summary instanceof HTMLElement) summary.focus();

/** Warns before changes of a form are lost, and shows in its action bar that there are some. */
for (const form of document.querySelectorAll('form[data-keep]')) {
  if (!(form instanceof HTMLFormElement)) continue;
  const state = form.querySelector('.action-bar .state');
  let isChanged = form.dataset.keep === 'changed';
  const show = () => {
    if (state !== null) state.textContent = isChanged ? 'Unsaved changes' : '';
  };
  show();
  form.addEventListener('input', () => {
    isChanged = true;
    show();
  });
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (!event.defaultPrevented) isSent = true;
  });
  addEventListener('pageshow', () => {
    isSent = false;
  });
  addEventListener('beforeunload', (event) => {
    if (isChanged && !isSent) event.preventDefault();
  });
}
