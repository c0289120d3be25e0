import { TOKEN_EXPIRY_S } from '../auth/issue-token.ts';
import { DEFAULT_UPLOAD_RATE } from '../base/upload-rate.ts';
import { type CorsConfig, DEFAULT_CORS } from '../http/cors.ts';
import type { S3Config } from '../storage/s3-config.ts';
import type { TlsFiles } from './tls/certificate.ts';

/** A storage scheme and the place of its files. */
export type SchemeConfig = LocalSchemeConfig | S3SchemeConfig;

interface CommonSchemeConfig {
  readonly name: string;
  /** The scheme in whose storage new files of this one are kept; undefined: in its own. */
  readonly storeIn: string | undefined;
}

/** Files in a folder; relative ones are within the data folder. */
export interface LocalSchemeConfig extends CommonSchemeConfig {
  readonly driver: 'local';
  readonly folder: string;
}

/** Files in a bucket of an S3 server. */
export interface S3SchemeConfig extends CommonSchemeConfig {
  readonly driver: 's3';
  readonly s3: S3Config;
  /** Whether downloads go through this program, or are sent on to the store with an address that is good for a while. */
  readonly delivery: 'stream' | 'redirect';
}

/** The database; all undefined: a file in the data folder. */
export interface DatabaseConfig {
  /** `file:…`, `http(s)://…` or `libsql://…`. */
  readonly url: string | undefined;
  /** The token that the libSQL server asks for. */
  readonly authToken: string | undefined;
  /** The libSQL server of which the file of `url`, or the one in the data folder, is a replica. */
  readonly syncUrl: string | undefined;
}

/** How derivatives are made. */
export interface DerivativesConfig {
  /** The site's own rules, laid over the default ones. */
  readonly rulesFile: string | undefined;
  /** Addresses of processors that are as good as each other; none: the one within makes them. */
  readonly processors: readonly string[];
  /** How many are made at a time; undefined: as many as suits the machine. */
  readonly maxConcurrent: number | undefined;
  /** How often one is tried before it is given up. */
  readonly maxAttempts: number;
}

/** Everything that the repository has to be told, checked. */
export interface RepositoryConfig {
  readonly dataFolder: string;
  readonly database: DatabaseConfig;
  readonly siteName: string;
  /** For the addresses that are handed out; undefined: as the request says. */
  readonly baseUrl: string | undefined;
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly string[];
  /** Other sites whose scripts have more access than reading public content. */
  readonly cors: CorsConfig;
  /** The site's own content model, laid over the default one. */
  readonly modelFile: string | undefined;
  readonly schemes: readonly SchemeConfig[];
  /** Warnings, logged at the start, about settings that no longer have an effect. */
  readonly obsoleteSettings: readonly string[];
  readonly maxJsonBytes: number;
  readonly maxUploadBytes: number | undefined;
  /** In bytes a second; 0: no minimum. */
  readonly minUploadRate: number;
  /** The period of the average. */
  readonly minUploadPeriodSeconds: number;
  readonly tokenExpirySeconds: number;
  readonly derivatives: DerivativesConfig;
}

/** A repository with the port that it answers on, and the processor beside it. */
export interface ServerConfig extends RepositoryConfig {
  readonly host: string;
  readonly port: number;
  /** How many processes answer on that port. */
  readonly workers: number;
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** A port of plain HTTP that sends everybody on to the one with TLS. */
  readonly redirectPort: number | undefined;
  /** Of the processor within; undefined: the one that is part of the program (`config/processor.yaml`). */
  readonly processorFile: string | undefined;
  /** Undefined: the processor is called within the process alone. */
  readonly processorPort: number | undefined;
}

/** A repository as it is without a word of configuration. */
export const DEFAULT_REPOSITORY_CONFIG: RepositoryConfig = {
  dataFolder: './data',
  database: { url: undefined, authToken: undefined, syncUrl: undefined },
  siteName: 'Repository',
  baseUrl: undefined,
  trustedProxies: [],
  cors: DEFAULT_CORS,
  modelFile: undefined,
  schemes: [
    { name: 'public', storeIn: undefined, driver: 'local', folder: 'files/public' },
    { name: 'private', storeIn: undefined, driver: 'local', folder: 'files/private' },
    { name: 'fedora', storeIn: undefined, driver: 'local', folder: 'files/fedora' },
  ],
  obsoleteSettings: [],
  maxJsonBytes: 16 * 1024 * 1024,
  maxUploadBytes: undefined,
  minUploadRate: DEFAULT_UPLOAD_RATE.bytesPerSecond,
  minUploadPeriodSeconds: DEFAULT_UPLOAD_RATE.periodSeconds,
  tokenExpirySeconds: TOKEN_EXPIRY_S,
  derivatives: { rulesFile: undefined, processors: [], maxConcurrent: undefined, maxAttempts: 5 },
};

/**
 * Every address of the machine, as a web server has it: all that is not public asks who is calling. A
 * container could not be reached otherwise.
 */
export const DEFAULT_SERVER_CONFIG: ServerConfig = {
  ...DEFAULT_REPOSITORY_CONFIG,
  host: '0.0.0.0',
  port: 8000,
  workers: 1,
  tls: undefined,
  redirectPort: undefined,
  processorFile: undefined,
  processorPort: undefined,
};
