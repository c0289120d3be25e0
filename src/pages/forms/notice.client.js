/**
 * Shows the sentence that the answer to a form left for the next page, once. Runs at the beginning of the content, before the
 * rest is read: what follows has its place from the start.
 */
(() => {
  const NOTICE = 'notice';
  const cookie = document.cookie
    .split('; ')
    .map((each) => each.split('='))
    .find(([name]) => name === NOTICE);
  if (cookie === undefined) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari.
  document.cookie = `${NOTICE}=; Path=/; Max-Age=0; SameSite=Strict`;
  let text = '';
  try {
    text = decodeURIComponent(cookie[1] ?? '');
  } catch {
    // Another program has written the cookie.
    return;
  }
  const sentence = document.createElement('span');
  sentence.textContent = text;
  // It has its place at once. A status that gets its text later is read out.
  sentence.style.visibility = 'hidden';
  const status = document.createElement('p');
  status.className = 'notice wrap';
  status.setAttribute('role', 'status');
  status.append(sentence);
  document.querySelector('main')?.prepend(status);
  requestAnimationFrame(() => {
    sentence.style.visibility = '';
  });
})();
