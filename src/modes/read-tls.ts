import type { Static } from '@sinclair/typebox';
import type { ConfigReader } from './config-reader.ts';
import type { ServerConfig } from './repository-config.ts';
import { TlsSchema } from './repository-config-schema.ts';

/** What a file says of TLS; nothing of a part with mistakes, which the reader knows. */
export function readTls(
  reader: ConfigReader,
  value: Record<string, unknown>,
): Partial<Pick<ServerConfig, 'tls' | 'redirectPort'>> {
  const { cert, key, redirectPort } = reader.map<Static<typeof TlsSchema>>(TlsSchema, value, ['tls']);
  if (cert === undefined || key === undefined) return {};
  return { tls: { cert, key }, redirectPort };
}
