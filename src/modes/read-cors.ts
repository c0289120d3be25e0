import type { Static } from '@sinclair/typebox';
import { type CorsConfig, DEFAULT_CORS, parseOrigin } from '../http/cors.ts';
import type { ConfigReader } from './config-reader.ts';
import { CorsSchema } from './repository-config-schema.ts';

/** Returns the CORS settings of a file, with defaults for missing ones. */
export function readCors(reader: ConfigReader, value: Record<string, unknown>): CorsConfig {
  const { origins = [], ...given } = reader.map<Static<typeof CorsSchema>>(CorsSchema, value, ['cors']);
  return {
    ...DEFAULT_CORS,
    ...given,
    origins: origins.flatMap((text, index) => reader.parsed(['cors', 'origins', `${index}`], text, parseOrigin) ?? []),
  };
}
