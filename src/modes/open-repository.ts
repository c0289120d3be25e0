import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { description, license, name, version } from '../../package.json' with { type: 'json' };
import { AnswerMemory } from '../api/answer-memory.ts';
import type { ApiServices } from '../api/api-services.ts';
import { createKnownCallers } from '../api/known-callers.ts';
import type { Representation } from '../api/respond.ts';
import { createAccountPace } from '../auth/account-pace.ts';
import { createCredentialMemory } from '../auth/credential-cache.ts';
import { verifyAgainstNothing, verifyPassword } from '../auth/password.ts';
import { createOwnTokenVerifier } from '../auth/verify-own-token.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import { readQueueFigures } from '../derivatives/find-jobs.ts';
import { addQueueFigures } from '../derivatives/metrics.ts';
import type { DerivativeRules } from '../derivatives/rules.ts';
import { createTextProcessor } from '../fields/text-format.ts';
import { createFindBaseUrl } from '../http/base-url.ts';
import { createCors } from '../http/cors.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import type { ContentModel } from '../model/content-model.ts';
import { isOwnPath } from '../paths.ts';
import { ANONYMOUS_ID, createActorFactory } from '../repository/actor.ts';
import { configuredUris } from '../repository/content/configured-uris.ts';
import { createFindContent } from '../repository/content/find-content.ts';
import { createFindSurroundings } from '../repository/content/find-surroundings.ts';
import { createGroupedInsert } from '../repository/content/insert-group.ts';
import { createKinds } from '../repository/content/kinds.ts';
import { TermMemory } from '../repository/content/term-memory.ts';
import { createAnnouncer } from '../repository/derivatives/announcer.ts';
import { createDiscardQueue, GRACE_MS, removeDiscarded } from '../repository/files/discarded.ts';
import { createFileIds } from '../repository/files/file-rows.ts';
import { createFindFile } from '../repository/files/find-file.ts';
import { createFindReadableFile } from '../repository/files/find-readable-file.ts';
import type { Scheme, Services } from '../repository/services.ts';
import { createFindSettings } from '../repository/settings/find-settings.ts';
import { adoptModel } from '../repository/setup/adopt-model.ts';
import {
  ADMINISTRATOR_ID,
  ADMINISTRATOR_NAME,
  ANONYMOUS_UUID,
  makeFirstUsers,
} from '../repository/setup/first-users.ts';
import { lostStores } from '../repository/setup/lost-stores.ts';
import { makeIcon } from '../repository/setup/make-icon.ts';
import { seedTerms } from '../repository/setup/seed-terms.ts';
import { fixityFigures } from '../repository/storage/verify-report.ts';
import { createFindAccount } from '../repository/users/find-account.ts';
import { createFindUser } from '../repository/users/find-user.ts';
import { createFloodStore } from '../repository/users/flood-store.ts';
import { known } from '../repository/users/manage-users.ts';
import { createSessions } from '../repository/users/sessions.ts';
import { ensureFolders } from '../storage/real-folder.ts';
import { PRESIGNED_SECONDS } from '../storage/storage.ts';
import { clearUp } from './clear-up.ts';
import { loadKeys } from './load-keys.ts';
import { loadModel } from './load-model.ts';
import { loadRules } from './load-rules.ts';
import { openMigrated } from './open-database.ts';
import { openStores } from './open-stores.ts';
import { pages } from './pages.ts';
import type { RepositoryConfig } from './repository-config.ts';
import { addFixityFigures } from './verify-metrics.ts';

export interface OpenRepository {
  readonly api: ApiServices;
  readonly services: Services;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether fields that hold data and that the model no longer has may be dropped. */
  readonly dropsFields?: boolean;
  /** Whether a database that other servers use, too, may be brought up to date: they must have been stopped. */
  readonly migratesShared?: boolean;
  /** As in `MigrateOptions`. */
  readonly startsNew?: boolean | undefined;
  /** Where the figures of the process are; left out: nobody asks for them. */
  readonly metrics?: Registry;
}

/**
 * Opens the repository of a data folder, or makes it: database, migrations, content model, storage, keys.
 * Clears up what processes left behind that ended without warning. The administrator may have no password yet
 * (`giveAdministratorPassword`). Throws ConfigError for a model or a key that cannot be used,
 * UnusableDatabaseError, NewerDatabaseError, CommandError for a shared database of an older version, ModelConflictError,
 * and what the file system says.
 */
export async function openRepository(
  config: RepositoryConfig,
  log: Log,
  options: OpenOptions = {},
): Promise<OpenRepository> {
  const dataFolder = resolve(config.dataFolder);
  // First, so that a mistake in them leaves nothing behind.
  const model = await loadModel(config);
  const rules = await loadRules(config, model);
  await ensureFolders(dataFolder);
  const database = await openMigrated(config, log, options);
  try {
    const { signingKey, secret } = await loadKeys(database, dataFolder);
    const schemes = await openStores(config, log);
    const services = createServices({ database, model, schemes, rules, log });
    await adoptModel(services, options.dropsFields ?? false);
    await makeFirstUsers(services);
    const verifyToken = createOwnTokenVerifier({ keys: [signingKey], now: Date.now });
    const { metrics = new Registry() } = options;
    addQueueFigures(metrics, () => readQueueFigures(database));
    addFixityFigures(metrics, () => fixityFigures(database));
    const api = { ...createApiServices(services, config), signingKey, secret, verifyToken, metrics };
    await fill(api);
    await clearUp(services, log);
    const lost = await lostStores(services);
    if (lost.length > 0)
      log.error(
        { schemes: lost },
        `files are kept in ${lost.join(', ')}, which is not configured: they cannot be read`,
      );
    const close = async () => {
      await services.discards.stop();
      await database.close();
    };
    return { services, api, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

export interface ServiceParts {
  readonly database: Database;
  readonly model: ContentModel;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly rules: DerivativeRules;
  readonly log: Log;
}

/** What the domain is built on, from its parts. */
export function createServices({ database, model, schemes, rules, log }: ServiceParts): Services {
  const viewPaths = new Set(Array.from(model.views.values(), ({ path }) => path));
  const services: Services = {
    database,
    model,
    schemes,
    fields: {
      languages: model.languages,
      textFormats: new Set(model.textFormats.keys()),
      process: createTextProcessor(model.textFormats, model.fallbackFormat),
      isOwnPath: (path) => isOwnPath(path) || viewPaths.has(path),
    },
    terms: new TermMemory(),
    configuredUris: configuredUris(model, rules),
    insert: createGroupedInsert(database),
    fileIds: createFileIds(database),
    derivatives: createAnnouncer({ database, rules, now: nowSeconds, warn: (message) => log.warn(message) }),
    now: nowSeconds,
    discards: createDiscardQueue((scheme, key) => removeDiscarded(services, scheme, key), {
      graceMsOf: (store) =>
        GRACE_MS + (schemes.get(store)?.storage.presign === undefined ? 0 : PRESIGNED_SECONDS * 1_000),
    }),
    warn: (message, cause) => log.warn({ err: cause }, message),
  };
  return services;
}

function createApiServices(
  services: Services,
  config: RepositoryConfig,
): Omit<ApiServices, 'signingKey' | 'secret' | 'verifyToken' | 'metrics'> {
  const { database, model, now } = services;
  const kinds = createKinds(model);
  const makeActor = createActorFactory(model);
  const anonymous = makeActor({ id: ANONYMOUS_ID, uuid: ANONYMOUS_UUID, name: '', roles: [] });
  const proxies = parseTrustedProxies(config.trustedProxies);
  const offered = new Set<string>();
  return {
    services,
    kinds,
    findContent: createFindContent(database, kinds),
    findSurroundings: createFindSurroundings(database, { kinds, mediaTypes: model.mediaTypes }),
    answers: new AnswerMemory<Representation>(),
    findFile: createFindFile(database),
    findReadableFile: createFindReadableFile(database, model, anonymous),
    findUser: createFindUser(database),
    findAccount: createFindAccount(database),
    findSettings: createFindSettings(database),
    makeActor,
    anonymous,
    nobody: { actor: anonymous, authentication: undefined, sessionId: undefined, credentialsChanged: 0 },
    sessions: createSessions(database, now),
    flood: createFloodStore(database),
    accountPace: createAccountPace({ now: () => performance.now(), sleep: Bun.sleep }),
    credentials: createCredentialMemory({ now: Date.now, verify: verifyPassword, verifyAgainstNothing }),
    knownCallers: createKnownCallers(database.knownGeneration, Date.now),
    findBaseUrl: createFindBaseUrl({ ...(config.baseUrl && { baseUrl: config.baseUrl }), proxies }),
    proxies,
    cors: createCors(config.cors),
    offered,
    offers: (method, path) => offered.has(`${method} ${path}`),
    siteName: config.siteName,
    pages,
    program: { name, version, license, description },
    edition: `${version} ${model.fingerprint}`,
    tokenExpirySeconds: config.tokenExpirySeconds,
    maxJsonBytes: config.maxJsonBytes,
    maxUploadBytes: config.maxUploadBytes,
    minUploadRate: { bytesPerSecond: config.minUploadRate, periodSeconds: config.minUploadPeriodSeconds },
  };
}

/** What a repository holds before anyone has put something into it. Done already, it costs a few look-ups. */
async function fill({ services, kinds, findUser, makeActor }: ApiServices): Promise<void> {
  const administrator = known(await findUser.byId(ADMINISTRATOR_ID), ADMINISTRATOR_NAME);
  const actor = makeActor({ ...administrator.row, roles: ['administrator'] });
  await makeIcon(services, actor);
  await seedTerms(services, actor, kinds.taxonomy_term);
}
