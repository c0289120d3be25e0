import type { Static } from '@sinclair/typebox';
import { parseProcessorAddress } from '../derivatives/processor-address.ts';
import type { ConfigReader } from './config-reader.ts';
import { DEFAULT_REPOSITORY_CONFIG, type DerivativesConfig } from './repository-config.ts';
import { DerivativesSchema } from './repository-config-schema.ts';

/** What a file says of derivatives, with the defaults for the rest. */
export function readDerivatives(reader: ConfigReader, value: Record<string, unknown>): DerivativesConfig {
  const path = ['derivatives'];
  const given = reader.map<Static<typeof DerivativesSchema>>(DerivativesSchema, value, path);
  return {
    rulesFile: given.rules,
    processors: (given.processors ?? []).flatMap(
      (text, index) => reader.parsed([...path, 'processors', `${index}`], text, parseProcessorAddress) ?? [],
    ),
    maxConcurrent: given.maxConcurrent,
    maxAttempts: given.maxAttempts ?? DEFAULT_REPOSITORY_CONFIG.derivatives.maxAttempts,
  };
}
