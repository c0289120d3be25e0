import { createTokenVerifier } from '../auth/verify-token.ts';
import type { ProcessorState } from '../processor/app.ts';
import type { ProcessorConfig } from '../processor/config.ts';

/** Builds what a configuration needs. Keys that were fetched stay while their address and claims stay. */
export function createState(config: ProcessorConfig, previous: ProcessorState | undefined): ProcessorState {
  const { jwksUri, jwtIssuer, jwtAudience } = config;
  if (jwksUri === undefined) return { config, verify: undefined };
  const keyOf = (c: ProcessorConfig) => JSON.stringify([c.jwksUri, c.jwtIssuer, c.jwtAudience]);
  if (previous && keyOf(previous.config) === keyOf(config)) return { config, verify: previous.verify };
  const options = { jwksUri, ...(jwtIssuer && { issuers: jwtIssuer }), ...(jwtAudience && { audiences: jwtAudience }) };
  return { config, verify: createTokenVerifier(options) };
}
