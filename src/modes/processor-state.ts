import { createTokenVerifier } from '../auth/verify-token.ts';
import { codeOf } from '../base/errors.ts';
import { ConfigError } from '../base/yaml-file.ts';
import type { ProcessorState } from '../processor/app.ts';
import type { ProcessorConfig } from '../processor/config.ts';
import { openWorkFolders, type WorkFolders } from '../processor/work-folders.ts';

/** Opens the parent of the commands' working folders. Throws ConfigError. */
export async function openFolders({ workFolder }: ProcessorConfig, name: string): Promise<WorkFolders> {
  try {
    return await openWorkFolders(workFolder);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const why = `workFolder: commands cannot work in ${workFolder} (${code}); name a folder that may be written to`;
    throw new ConfigError(name, [{ line: 1, message: why }]);
  }
}

/** Builds the state for a configuration. Reuses fetched keys if their address and claims are unchanged. */
export function createState(config: ProcessorConfig, previous: ProcessorState | undefined): ProcessorState {
  const { jwksUri, jwtIssuer, jwtAudience } = config;
  if (jwksUri === undefined) return { config, verify: undefined };
  const keyOf = (c: ProcessorConfig) => JSON.stringify([c.jwksUri, c.jwtIssuer, c.jwtAudience]);
  if (previous && keyOf(previous.config) === keyOf(config)) return { config, verify: previous.verify };
  const options = { jwksUri, ...(jwtIssuer && { issuers: jwtIssuer }), ...(jwtAudience && { audiences: jwtAudience }) };
  return { config, verify: createTokenVerifier(options) };
}
