/** Returns the URL of a database file or a libSQL server. Throws RangeError. */
export function parseDatabaseUrl(text: string): string {
  // Two slashes would begin a host, and an escaped one is no part of a name.
  if (/^file:(?!\/\/(?!\/))./.test(text) && !/[?#]|%2f/i.test(text)) return text;
  return parseServer(text, 'file:data/repository.db, libsql://db.example.org or https://db.example.org');
}

/** Returns the URL of a libSQL server. Throws RangeError. */
export function parseServerUrl(text: string): string {
  return parseServer(text, 'libsql://db.example.org or https://db.example.org');
}

/** Rejects a token in the address: it would be shown wherever the address is. */
function parseServer(text: string, examples: string): string {
  const url = URL.parse(text);
  const isServer = url !== null && /^(libsql|https?):$/.test(url.protocol) && url.host !== '';
  const isPlain = isServer && url.username === '' && url.password === '' && /^(\?tls=[01])?$/.test(url.search);
  if (isPlain && !text.includes('#')) return text;
  const found = /[@?]/.test(text) ? '' : `, found "${text}"`;
  throw new RangeError(`must be an address such as ${examples}${found}; a token goes into REPO_DATABASE_AUTH_TOKEN`);
}
