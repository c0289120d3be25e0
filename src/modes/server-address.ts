const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** The address of a server as its own machine knows it, such as `http://localhost:8000`; without the port of the scheme. */
export function serverAddress(server: { readonly host: string; readonly port: number; readonly tls: unknown }): string {
  const { host, port, tls } = server;
  const [scheme, usualPort] = tls ? (['https', 443] as const) : (['http', 80] as const);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${EVERY_ADDRESS.has(host) ? 'localhost' : shown}${port === usualPort ? '' : `:${port}`}`;
}
