import { rmSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { createUser } from '../../src/repository/users/manage-users.ts';
import { type RepositoryOptions, type RunningRepository, startRepository } from '../../src/server/repository.ts';
import { emptyFolder } from './empty-folder.ts';
import { pause } from './pause.ts';
import { type Caller, type Entity, SiteBuilder } from './site-builder.ts';
import { type Sqld, startSqld } from './sqld.ts';
import type { LogLine } from './test-processor.ts';

export const ADMIN_PASSWORD = 'correct horse battery staple';
const RULES = join(import.meta.dir, '../fixtures/derivatives-without-tiles.yaml');

/** The caller of a request; `user` creates others than `admin`. */
export type As = Caller;

export interface TestRepository {
  /** Without a slash at the end. */
  url: string;
  dataFolder: string;
  config: RepositoryConfig;
  /** Every line logged so far. */
  log: LogLine[];
  /** The log lines that tell of failures of ours: level error. */
  failures(): LogLine[];
  /** Creates a user with roles whose password is the name and has a cheap hash. Returns the id. */
  user(name: string, ...roles: string[]): Promise<number>;
  fetch(path: string, init?: RequestInit & { as?: As }): Promise<Response>;
  get(path: string, as?: As, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, as?: As, headers?: Record<string, string>): Promise<Response>;
  patch(path: string, body: unknown, as?: As, headers?: Record<string, string>): Promise<Response>;
  delete(path: string, as?: As, headers?: Record<string, string>): Promise<Response>;
  put(path: string, body: Bun.BodyInit, headers: Record<string, string>, as?: As): Promise<Response>;
  readonly build: SiteBuilder;
  /** The id of a default term by its URI, `http://pcdm.org/use#OriginalFile`. */
  termId(uri: string): Promise<number>;
  /** Creates a repository item as admin and returns the response. */
  node(fields?: JsonObject, as?: As): Promise<EntityJson>;
  running: RunningRepository;
  /** Stops and starts again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** An entity as the API answers it. */
export type EntityJson = Entity;

/** True if the repositories of all tests have their databases on libSQL servers: REPO_TEST_DATABASE=sqld. */
export const IS_ON_SQLD = process.env.REPO_TEST_DATABASE === 'sqld';
/** Within a data folder that is copied: what its server has. */
const SQLD_FOLDER = 'sqld';

/** The data folder of a first start with the default configuration, created once because it takes long. */
let started: Promise<string> | undefined;

/** The promised time until another process follows that shares a server, by its clock. */
const MAX_STALE_MS = 1_000;

/**
 * Resolves when what this process has changed of accounts and settings holds in every other: at once where they share a
 * file, within a second where they share a server. What another process knows cannot be seen from here.
 */
export const othersFollow = (): Promise<void> => (IS_ON_SQLD ? pause(MAX_STALE_MS) : Promise.resolve());

async function startDatabase(dataFolder: string): Promise<Sqld | undefined> {
  return IS_ON_SQLD ? startSqld({ folder: join(dataFolder, SQLD_FOLDER) }) : undefined;
}

function databaseOn(server: Sqld | undefined): Pick<RepositoryConfig, 'database'> {
  return { database: { ...DEFAULT_SERVER_CONFIG.database, url: server?.url } };
}

/** Maximum time for a stop before its files are copied: an interrupted one would still remove some. */
const STOP_S = 20;

async function startOnce(): Promise<string> {
  const dataFolder = await emptyFolder();
  process.on('exit', () => rmSync(dataFolder, { recursive: true, force: true }));
  const server = await startDatabase(dataFolder);
  const running = await startRepository({
    config: { ...DEFAULT_SERVER_CONFIG, dataFolder, ...databaseOn(server) },
    host: '127.0.0.1',
    port: 0,
    administratorPassword: ADMIN_PASSWORD,
    log: createLog({ level: 'silent', format: 'json' }),
  });
  await setCheapPassword(running, 1, ADMIN_PASSWORD);
  await running.stop(STOP_S);
  await server?.stop();
  return dataFolder;
}

/** Sets a password with a hash that is checked in microseconds: nearly every test signs in. */
async function setCheapPassword({ services }: RunningRepository, id: number, password: string): Promise<void> {
  const hash = await Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });
  await services.database.write([
    { sql: 'UPDATE user SET password_hash = ? WHERE id = ?', args: [hash, id] },
    // As after an insert: a change of the password would refuse tokens issued before.
    { sql: 'UPDATE user SET credentials_changed = 0 WHERE id = ?', args: [id] },
  ]);
}

/** Copies the data folder of a first start, whose administrator has `ADMIN_PASSWORD`, without its database if `IS_ON_SQLD`. */
export async function copyFirstStart(dataFolder: string): Promise<void> {
  started ??= startOnce();
  await cp(await started, dataFolder, { recursive: true });
}

/** Copies the data folder of a repository that has stopped after `work`. */
export async function copyStopped(
  dataFolder: string,
  work: (repository: TestRepository) => Promise<unknown> = async () => {},
): Promise<void> {
  const repository = await createTestRepository();
  await work(repository);
  await repository.running.stop(STOP_S);
  await cp(repository.dataFolder, dataFolder, { recursive: true, preserveTimestamps: true });
  await rm(repository.dataFolder, { recursive: true });
}

/** Returns a configuration without tiles of images, unless it names rules. Tests of jobs in general count the others. */
export function withoutTiles(config: RepositoryConfig): RepositoryConfig {
  const { derivatives } = config;
  return { ...config, derivatives: { ...derivatives, rulesFile: derivatives.rulesFile ?? RULES } };
}

/** The configuration of tests, which may look for an event by searches without a pause. */
export const UNLIMITED_CONFIG: typeof DEFAULT_SERVER_CONFIG = {
  ...DEFAULT_SERVER_CONFIG,
  robots: { ...DEFAULT_SERVER_CONFIG.robots, totalBudget: 0 },
};

interface TestRepositoryOptions extends Pick<RepositoryOptions, 'pace' | 'processor' | 'fieldTypes' | 'adminPages'> {
  /** The text of a content model over the default one. */
  readonly model?: string;
}

/** A real repository with nothing in its data folder but what a first start puts there, on a port of its own. */
export async function createTestRepository(
  overrides: Partial<RepositoryConfig> = {},
  { model, ...options }: TestRepositoryOptions = {},
): Promise<TestRepository> {
  const dataFolder = await emptyFolder();
  // A model and storage of its own begin differently; an empty database beside the keys of another one does not begin.
  const isUsual = model === undefined && !['modelFile', 'schemes', 'database'].some((setting) => setting in overrides);
  if (isUsual) await copyFirstStart(dataFolder);
  const modelFile = model === undefined ? undefined : join(await emptyFolder(), 'model.yaml');
  if (modelFile !== undefined) await writeFile(modelFile, model ?? '');
  const server = await startDatabase(dataFolder);
  const log: LogLine[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const config = withoutTiles({
    ...UNLIMITED_CONFIG,
    dataFolder,
    ...databaseOn(server),
    ...(modelFile && { modelFile }),
    ...overrides,
  });
  const start = () =>
    startRepository({
      config,
      host: '127.0.0.1',
      port: 0,
      administratorPassword: ADMIN_PASSWORD,
      log: createLog({ level: 'info', format: 'json', destination }),
      ...options,
    });
  let running = await start();

  const repository: TestRepository = {
    get url() {
      return `http://127.0.0.1:${running.url.port}`;
    },
    get running() {
      return running;
    },
    get build() {
      return build;
    },
    dataFolder,
    config,
    log,
    failures: () => log.filter((line) => line.level === 'error' || line.level === 'fatal'),
    async user(name, ...roles) {
      const id = await createUser(running.services, { name, roles });
      await setCheapPassword(running, id, name);
      return id;
    },
    fetch(path, { as, headers, ...init } = {}) {
      const all = new Headers(headers);
      // Most tests read as programs do.
      if (!all.has('Accept')) all.set('Accept', 'application/json');
      if (as !== undefined) all.set('Authorization', basic(as));
      return fetch(`${repository.url}${path}`, { redirect: 'manual', keepalive: false, ...init, headers: all });
    },
    get: (path, as, headers = {}) => repository.fetch(path, { as, headers }),
    post: (path, body, as, headers = {}) => send('POST', path, body, as, headers),
    patch: (path, body, as, headers = {}) => send('PATCH', path, body, as, headers),
    delete: (path, as, headers = {}) => repository.fetch(path, { method: 'DELETE', as, headers }),
    put: (path, body, headers, as) =>
      repository.fetch(path, { method: 'PUT', body: body as NonNullable<RequestInit['body']>, headers, as }),
    termId: (uri) => build.termId(uri),
    node: (fields, as) => build.item(fields, as),
    async restart() {
      await running.stop(1);
      running = await start();
    },
    async stop() {
      await running.stop(1);
      await server?.stop();
      await rm(dataFolder, { recursive: true, force: true });
      if (modelFile !== undefined) await rm(dirname(modelFile), { recursive: true, force: true });
    },
  };

  const build = new SiteBuilder(repository);

  function send(method: string, path: string, body: unknown, as: As, headers: Record<string, string>) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return repository.fetch(path, {
      method,
      body: text,
      as,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  }

  return repository;
}

/** The Authorization header of a user whose password is the name, or of the administrator. */
export function basic(name: string, password = name === 'admin' ? ADMIN_PASSWORD : name): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
