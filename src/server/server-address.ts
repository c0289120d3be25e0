const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Returns the local address of a server, such as `http://localhost:8000`, without the default port of the scheme. */
export function serverAddress(server: { readonly host: string; readonly port: number; readonly tls: unknown }): string {
  const { host, port, tls } = server;
  const [scheme, usualPort] = tls ? (['https', 443] as const) : (['http', 80] as const);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${EVERY_ADDRESS.has(host) ? 'localhost' : shown}${port === usualPort ? '' : `:${port}`}`;
}
