/** Solves the challenge of a page, and sends the solution. Without `crypto.subtle`, as on plain HTTP, the page stays. */
const form = document.querySelector('form[data-challenge]');
const field = form?.querySelector('input[name=payload]');
if (form instanceof HTMLFormElement && field instanceof HTMLInputElement && crypto.subtle !== undefined) {
  /** @type {Pick<typeof import('altcha-lib'), 'solveChallenge'> & { deriveKey: import('altcha-lib').DeriveKeyFunction }} */
  const { solveChallenge, deriveKey } = await import(form.dataset.solver ?? '');
  const challenge = JSON.parse(form.dataset.challenge ?? '');
  const solution = await solveChallenge({ challenge, deriveKey });
  if (solution !== null) {
    field.value = JSON.stringify({ challenge, solution });
    form.submit();
  }
}
