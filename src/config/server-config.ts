import { fillIn, type SettingValues, type ValuesOf } from './setting.ts';
import { SETTINGS } from './settings.ts';

type Values = ValuesOf<typeof SETTINGS>;

/** The files of a certificate and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** The checked configuration of a server. */
export interface ServerConfig extends Omit<Values, 'tls'> {
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** Warnings about settings that no longer have an effect. */
  readonly obsoleteSettings: readonly string[];
}

/** The part that does not depend on the ports of a server. */
export type RepositoryConfig = Omit<
  ServerConfig,
  'host' | 'port' | 'workers' | 'tls' | 'redirectPort' | 'processorFile' | 'processorPort'
>;

export type DerivativesConfig = ServerConfig['derivatives'];

/** Returns the configuration with some values; the others are defaults. */
export function createServerConfig(values: SettingValues, obsoleteSettings: readonly string[] = []): ServerConfig {
  const { tls, ...config } = fillIn(SETTINGS, values);
  const { cert, key } = tls;
  return {
    ...config,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    obsoleteSettings,
  };
}

export const DEFAULT_SERVER_CONFIG: ServerConfig = createServerConfig(new Map());
