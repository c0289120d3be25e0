import { readEnv } from '../base/env.ts';
import type { ProcessorConfigSource } from '../processor/config/load-config.ts';
import { port } from './entry-types.ts';
import { type Refuse, readVariable } from './overrides.ts';
import { DEFAULT_PROCESSOR_PORT } from './settings.ts';

/**
 * Returns the source of a separate processor's configuration: the named file, else the variables of the original
 * service. Undefined if neither is set.
 */
export function processorSource(named: string | undefined): ProcessorConfigSource | undefined {
  if (named !== undefined) return { file: named, mayLack: false };
  const text = readEnv('SCYLLARIDAE_YML');
  const file = text === undefined ? readEnv('SCYLLARIDAE_YML_PATH') : 'SCYLLARIDAE_YML';
  return file === undefined ? undefined : { file, text, mayLack: false, asOriginal: true };
}

/** Returns the port of a separate processor: that of the command line, else of the environment, else the default. */
export function processorPort(flag: number | undefined, refuse: Refuse): number {
  const read = (name: string) => readVariable(name, port.fromText, refuse);
  return flag ?? read('SERVICE_PORT') ?? read('SCYLLARIDAE_PORT') ?? DEFAULT_PROCESSOR_PORT;
}
