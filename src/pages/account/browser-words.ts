const MAX_CHARS = 80;

/** Returns the browser of a `User-Agent` in words, such as "Firefox on Windows". */
export function browserWords(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  // Loaded with the first list of sessions.
  const { parse }: typeof import('bowser') = require('bowser');
  const { browser, os } = parse(userAgent);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  // Programs, which are no browsers, name themselves at the beginning.
  return names.length === 2 ? names.join(' on ') : userAgent.slice(0, MAX_CHARS);
}
