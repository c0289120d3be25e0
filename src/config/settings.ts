import { TOKEN_EXPIRY_S } from '../auth/issue-token.ts';
import { DEFAULT_UPLOAD_RATE } from '../base/upload-rate.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { CORS_METHODS, DEFAULT_CORS, parseOrigin } from '../http/cors.ts';
import { parseProcessorAddress } from '../jobs/processor-address.ts';
import { addressRange, NETWORKS, NOTICE_DAYS, TIME_ZONE } from './access-settings.ts';
import { AUTHORITY_SETTINGS } from './authority-settings.ts';
import { BAG_SETTINGS } from './bag-settings.ts';
import { bytes, choice, list, map, number, port, secret, text, time, workers, yesOrNo } from './entry-types.ts';
import { IMPORT_SETTINGS } from './import-settings.ts';
import { MAIL_SETTINGS } from './mail-settings.ts';
import { OAI_SETTINGS } from './oai-settings.ts';
import { ROBOT_SETTINGS } from './robot-settings.ts';
import { DEFAULT_SCHEMES, readSchemes } from './schemes.ts';
import { SEARCH_SETTINGS } from './search-settings.ts';
import { HSTS_SETTINGS, SESSION_SETTINGS } from './security-settings.ts';
import { type Setting, setting, settingsIn } from './setting.ts';
import { SITE_NAME, SITE_SETTINGS } from './site-settings.ts';
import { USAGE_SETTINGS } from './usage-settings.ts';

const MAX_TOKEN_EXPIRY_S = 366 * 86_400;
const KEEP_S = 30 * 86_400;
const MAX_KEEP_S = 36_500 * 86_400;
const MAX_UPLOAD_PERIOD_S = 86_400;
const MAX_UPLOAD_RATE = 2 ** 30;
const MAX_CONCURRENT = 1_000;
const MAX_ATTEMPTS = 100;
/** Room for the largest image that is computed. */
const MIN_IMAGE_CACHE_BYTES = 256 * 1024 ** 2;
const MIN_IMAGE_PIXELS = 1024 ** 2;
const MAX_IMAGE_PIXELS = 8192 ** 2;
const MAX_IMAGE_CACHE_BYTES = 1024 ** 4;

const origin = text('an origin such as https://viewer.example.org', parseOrigin);
const corsMethod = choice(CORS_METHODS, `one of ${CORS_METHODS.join(', ')}`);
const processor = text('a URL', parseProcessorAddress);
/** The default port of a separate processor. */
export const DEFAULT_PROCESSOR_PORT = 8080;

/** All settings of a server, in the order of its configuration file (`config/repository.yaml`). */
export const SETTINGS = {
  /** The folder of the database, the files and the keys. */
  dataFolder: setting('data', text('the path of a folder'), {
    default: './data',
    variable: 'REPO_DATA',
    flag: { name: '--data <folder>', help: 'data folder (default: REPO_DATA, else ./data)' },
  }),
  /** All addresses, as for a web server: unpublished content requires credentials, and containers are reachable. */
  host: setting('host', text('an address to listen on'), {
    default: '0.0.0.0',
    flag: {
      name: '--host <address>',
      help: 'address to listen on (default: 0.0.0.0, all addresses; 127.0.0.1 for a processor without jwksUri)',
    },
  }),
  port: setting('port', port, {
    default: 8000,
    variable: 'REPO_PORT',
    flag: {
      name: '--port <number>',
      help: `port to listen on (default: REPO_PORT, else 8000; processor: SERVICE_PORT, else ${DEFAULT_PROCESSOR_PORT})`,
    },
  }),
  /** The number of processes on the port. */
  workers: setting('workers', workers, {
    default: 1,
    variable: 'REPO_WORKERS',
    flag: {
      name: '--workers <number>',
      help: 'number of processes, "auto" for one per core (default: REPO_WORKERS, else 1; more than one requires Linux)',
    },
  }),
  /** Both undefined: plain HTTP. */
  tls: {
    /** The server's own certificate first, then those of its issuers. */
    cert: setting('tls.cert', text('the path of a file'), {
      isRequired: true,
      variable: 'REPO_TLS_CERT',
      flag: {
        name: '--tls-cert <file>',
        help: 'certificate and its chain in PEM, for TLS (default: REPO_TLS_CERT, else no TLS)',
      },
    }),
    key: setting('tls.key', text('the path of a file'), {
      isRequired: true,
      variable: 'REPO_TLS_KEY',
      flag: { name: '--tls-key <file>', help: 'key of the certificate in PEM (default: REPO_TLS_KEY)' },
    }),
  },
  /** A port of plain HTTP that redirects to the one with TLS. */
  redirectPort: setting('tls.redirectPort', port, {
    flag: {
      name: '--redirect-port <number>',
      help: 'port of plain HTTP that redirects to the one with TLS (default: none)',
    },
  }),
  /** `Strict-Transport-Security` in answers over https. */
  hsts: HSTS_SETTINGS,
  /** All undefined: a file in the data folder. */
  database: {
    /** `file:…`, `http(s)://…` or `libsql://…`. */
    url: setting('database.url', text('an address such as libsql://db.example.org', parseDatabaseUrl), {
      variable: 'REPO_DATABASE_URL',
    }),
    /** The token for the libSQL server. */
    authToken: setting('database.authToken', secret('a token'), { variable: 'REPO_DATABASE_AUTH_TOKEN' }),
    /** The libSQL server; the file of `url`, or the one in the data folder, is its replica. */
    syncUrl: setting('database.syncUrl', text('an address such as libsql://db.example.org', parseServerUrl), {
      variable: 'REPO_DATABASE_SYNC_URL',
    }),
  },
  /** The base of all addresses in responses; undefined: the Host of each request. */
  baseUrl: setting('baseUrl', text('a URL such as https://repository.example.org', parseBaseUrl), {
    variable: 'REPO_BASE_URL',
    flag: { name: '--base-url <url>', help: 'public address (default: REPO_BASE_URL, else the Host of each request)' },
  }),
  /** Addresses and networks whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: setting('trustedProxies', list(addressRange, { description: 'a list of addresses and ranges' }), {
    default: [],
  }),
  networks: NETWORKS,
  timeZone: TIME_ZONE,
  accessNoticeDays: NOTICE_DAYS,
  /** Other sites whose scripts have more access than reading public content. */
  cors: {
    origins: setting('cors.origins', list(origin, { description: 'a list of origins' }), {
      default: DEFAULT_CORS.origins,
    }),
    methods: setting('cors.methods', list(corsMethod, { minItems: 1, description: 'a list of methods' }), {
      default: DEFAULT_CORS.methods,
    }),
    credentials: setting('cors.credentials', yesOrNo, { default: DEFAULT_CORS.credentials }),
  },
  /** True if the pages of deleted items that were public answer 410 with title and citation. */
  tombstones: setting('tombstones', yesOrNo, { default: true }),
  siteName: SITE_NAME,
  site: SITE_SETTINGS,
  robots: ROBOT_SETTINGS,
  oai: OAI_SETTINGS,
  usage: USAGE_SETTINGS,
  /** Searches. */
  search: SEARCH_SETTINGS,
  bags: BAG_SETTINGS,
  mail: MAIL_SETTINGS,
  authorities: AUTHORITY_SETTINGS,
  /** The site's own content model, which is merged over the default one. */
  modelFile: setting('model', text('the path of a file'), {
    flag: { name: '--model <file>', help: 'content model of your own, merged over the default one' },
  }),
  schemes: setting('schemes', map('a map of names to folder or s3', readSchemes), { default: DEFAULT_SCHEMES }),
  /** The time after which `storage gc` removes files that have lost all references. */
  keepUnreferencedSeconds: setting('keepUnreferencedFiles', time('from 1 s to 36500d', MAX_KEEP_S), {
    default: KEEP_S,
  }),
  maxJsonBytes: setting('maxJsonBytes', bytes, { default: 16 * 1024 * 1024 }),
  /** Undefined: no limit. */
  maxUploadBytes: setting('maxUploadBytes', bytes),
  /** In bytes a second; 0: no minimum. */
  minUploadRate: setting('minUploadRate', number(0, MAX_UPLOAD_RATE, 'a whole number of bytes a second, or 0'), {
    default: DEFAULT_UPLOAD_RATE.bytesPerSecond,
  }),
  /** The period over which the rate is averaged. */
  minUploadPeriodSeconds: setting('minUploadPeriod', time('from 1 s to 1d', MAX_UPLOAD_PERIOD_S), {
    default: DEFAULT_UPLOAD_RATE.periodSeconds,
  }),
  tokenExpirySeconds: setting('tokenExpiry', time('from 1 s to 366d', MAX_TOKEN_EXPIRY_S), { default: TOKEN_EXPIRY_S }),
  /** Sessions of browsers. Both limits apply to those that have begun, too. */
  sessions: SESSION_SETTINGS,
  derivatives: {
    /** The site's own rules, which are merged over the default ones. */
    rulesFile: setting('derivatives.rules', text('the path of a file')),
    /** Addresses of equivalent processors; none: the embedded one. */
    processors: setting('derivatives.processors', list(processor, { description: 'a list of URLs' }), { default: [] }),
    /** The maximum number of concurrent jobs; undefined: depends on the machine. */
    maxConcurrent: setting('derivatives.maxConcurrent', number(1, MAX_CONCURRENT)),
    /** The maximum number of attempts for a derivative. */
    maxAttempts: setting('derivatives.maxAttempts', number(1, MAX_ATTEMPTS), { default: 5 }),
  },
  imports: IMPORT_SETTINGS,
  images: {
    /** The maximum size of computed images on the disk, in bytes. */
    cacheBytes: setting(
      'images.cacheBytes',
      number(MIN_IMAGE_CACHE_BYTES, MAX_IMAGE_CACHE_BYTES, 'a number of bytes'),
      {
        default: 1024 ** 3,
      },
    ),
    /** The maximum size of a computed image. */
    maxPixels: setting('images.maxPixels', number(MIN_IMAGE_PIXELS, MAX_IMAGE_PIXELS, 'a number of pixels'), {
      default: 4096 ** 2,
    }),
  },
  /** The configuration of the embedded processor; undefined: the built-in one (`config/processor.yaml`). */
  processorFile: setting('processor', text('the path of a file')),
  /** Undefined: the processor is called only from within the process. */
  processorPort: setting('processorPort', port, {
    flag: { name: '--processor-port <number>', help: 'port of the processor, with --mode all (default: none)' },
  }),
};

/** The keys at the top of a configuration file. */
export const FILE_KEYS: ReadonlySet<string> = new Set(settingsIn(SETTINGS).map(({ key }) => key.split('.', 1).join()));

/** The settings with a command-line option, in the order of `repo serve --help`. */
export const FLAG_SETTINGS: readonly Setting[] = [
  SETTINGS.dataFolder,
  SETTINGS.modelFile,
  SETTINGS.host,
  SETTINGS.port,
  SETTINGS.baseUrl,
  SETTINGS.tls.cert,
  SETTINGS.tls.key,
  SETTINGS.redirectPort,
  SETTINGS.processorPort,
  SETTINGS.workers,
];

/** The initial password of the administrator, which is no part of the configuration. */
export const PASSWORD_VARIABLE = 'REPO_ADMIN_PASSWORD';

/** Returns the URL of a database file or a libSQL server. Throws RangeError. */
function parseDatabaseUrl(text: string): string {
  // Two slashes would begin a host. An escaped slash cannot be part of a name.
  if (/^file:(?!\/\/(?!\/))./.test(text) && !/[?#]|%2f/i.test(text)) return text;
  return parseServer(text, 'file:data/repository.db, libsql://db.example.org or https://db.example.org');
}

/** Returns the URL of a libSQL server. Throws RangeError. */
function parseServerUrl(text: string): string {
  return parseServer(text, 'libsql://db.example.org or https://db.example.org');
}

/** Parses the URL of a server. Rejects a token in it, which messages would show. */
function parseServer(text: string, examples: string): string {
  const url = URL.parse(text);
  const isServer = url !== null && /^(libsql|https?):$/.test(url.protocol) && url.host !== '';
  const isPlain = isServer && url.username === '' && url.password === '' && /^(\?tls=[01])?$/.test(url.search);
  if (isPlain && !text.includes('#')) return text;
  const ending = /[@?]/.test(text) ? '' : `, found "${text}"`;
  throw new RangeError(`must be an address such as ${examples}${ending}; a token goes into REPO_DATABASE_AUTH_TOKEN`);
}
