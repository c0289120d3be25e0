/** Shows the sentence that the answer to a form left for the next page, once. */
const NOTICE = 'notice';

const found = document.cookie
  .split('; ')
  .map((each) => each.split('='))
  .find(([name]) => name === NOTICE);
if (found !== undefined) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari.
  document.cookie = `${NOTICE}=; Path=/; Max-Age=0; SameSite=Strict`;
  const status = document.createElement('p');
  status.className = 'notice wrap';
  status.setAttribute('role', 'status');
  document.querySelector('main')?.prepend(status);
  // A status that is empty at first is read out when it gets its text.
  requestAnimationFrame(() => {
    try {
      status.textContent = decodeURIComponent(found[1] ?? '');
    } catch {
      status.remove();
    }
  });
}
