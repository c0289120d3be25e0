import { join, resolve } from 'node:path';
import { description, license, name, version } from '../../package.json' with { type: 'json' };
import { createAccountPace } from '../auth/account-pace.ts';
import { createCredentialCache } from '../auth/credential-cache.ts';
import { verifyAgainstNothing, verifyPassword } from '../auth/password.ts';
import { LiveAuthorities } from '../authorities/live/live-authorities.ts';
import { createBackgroundTasks } from '../base/background-tasks.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { shownSettings } from '../config/setting-origins.ts';
import { createFindBaseUrl, parseBaseUrl } from '../http/base-url.ts';
import { createCors } from '../http/cors.ts';
import { CrowdWatch } from '../http/crowd-watch.ts';
import { RobotVerifier } from '../http/robot-verifier.ts';
import { TrafficCounter } from '../http/traffic-counter.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import { createMailer } from '../mail/mailer.ts';
import { ADMIN_PAGES } from '../pages/admin/admin-pages.ts';
import { ANONYMOUS_ID, createActorFactory } from '../repository/actor.ts';
import { createFindAccessLink } from '../repository/asking/access-links.ts';
import { createKinds } from '../repository/content/kinds.ts';
import { createFindContent } from '../repository/content/read/find-content.ts';
import { createFindSurroundings } from '../repository/content/read/find-surroundings.ts';
import { ReferredTerms } from '../repository/content/read/known-terms.ts';
import { createReadContent } from '../repository/content/read/read-content.ts';
import { createFindReadableFile } from '../repository/content/read/readable-files.ts';
import { createFindFile } from '../repository/files/find-file.ts';
import { createFindImage } from '../repository/media/find-image.ts';
import { createFindSettings } from '../repository/settings/find-settings.ts';
import { ANONYMOUS_UUID } from '../repository/setup/first-users.ts';
import { createFindAccount } from '../repository/users/find-account.ts';
import { createFindUser } from '../repository/users/find-user.ts';
import { createFloodStore } from '../repository/users/flood-store.ts';
import { createSessions } from '../repository/users/sessions.ts';
import { createWaker } from '../runs/waker.ts';
import { createReadForResponse } from '../storage/small-objects.ts';
import { createDownloads } from '../transfer/files/downloads.ts';
import { createTableUploadFolders } from '../transfer/table-uploads/table-upload-folders.ts';
import type { AdminPage, ApiServices } from '../web/api-services.ts';
import { createKnownCallers } from '../web/known-callers.ts';
import { createAnswers, OF_LISTS } from '../web/respond.ts';
import { createNetworks } from './create-networks.ts';
import type { CurrentSite } from './current-site.ts';

/** The folder of tables that are uploaded for imports, in the data folder. */
const UPLOADS_FOLDER = 'imports';

/** Creates the services of the routes, apart from those that need a file or a key. */
export function createApiServices(
  services: JobServices,
  config: RepositoryConfig,
  adminPages: readonly AdminPage[] = ADMIN_PAGES,
): Omit<
  ApiServices,
  | keyof CurrentSite
  | 'robots'
  | 'knownRobots'
  | 'workBudget'
  | 'workFigures'
  | 'mail'
  | 'images'
  | 'search'
  | 'signingKey'
  | 'secret'
  | 'verifyToken'
  | 'metrics'
  | 'readStatus'
  | 'usage'
> {
  const { database, model, now } = services;
  const kinds = createKinds(model);
  const findContent = createFindContent(database, kinds);
  const findSettings = createFindSettings(database);
  const knownTerms = new ReferredTerms(database);
  const makeActor = createActorFactory(model, services.access);
  const anonymous = makeActor({ id: ANONYMOUS_ID, uuid: ANONYMOUS_UUID, name: '', roles: [] });
  const { idleLimitSeconds: idleSeconds, absoluteLimitSeconds: absoluteSeconds } = config.sessions;
  const sessionLimits = { idleSeconds, absoluteSeconds };
  const proxies = parseTrustedProxies(config.trustedProxies);
  const offered: ApiServices['offered'] = new Map();
  return {
    services,
    kinds,
    findContent,
    content: createReadContent({
      database,
      model,
      findContent,
      findSettings,
      findSurroundings: createFindSurroundings(database, { kinds, mediaTypes: model.mediaTypes, knownTerms }),
    }),
    knownTerms,
    answers: createAnswers(database.stamp),
    listAnswers: createAnswers(database.stamp, OF_LISTS),
    bulk: createWaker(),
    findFile: createFindFile(database),
    findReadableFile: createFindReadableFile(database, model, anonymous),
    readForResponse: createReadForResponse(),
    findImage: createFindImage(database, model, anonymous),
    findUser: createFindUser(database),
    findAccount: createFindAccount(database, sessionLimits),
    findSettings,
    makeActor,
    anonymous,
    ...createNetworks(config, makeActor, anonymous, proxies),
    findAccessLink: createFindAccessLink(services),
    sessions: createSessions(database, now, sessionLimits),
    flood: createFloodStore(database),
    accountPace: createAccountPace({ now: () => performance.now(), sleep: Bun.sleep }),
    credentials: createCredentialCache({ now: Date.now, verify: verifyPassword, verifyAgainstNothing }),
    knownCallers: createKnownCallers(database.knownGeneration, Date.now),
    findBaseUrl: createFindBaseUrl({ ...(config.baseUrl && { baseUrl: config.baseUrl }), proxies }),
    proxies,
    background: createBackgroundTasks(services.warn),
    failures: new Map(),
    tableUploadFolders: createTableUploadFolders(
      join(resolve(config.dataFolder), UPLOADS_FOLDER),
      config.imports.maxBytes,
    ),
    downloads: createDownloads(config.imports),
    cors: createCors(config.cors),
    offered,
    offers: (method, path) => offered.get(path)?.some((each) => each === method) ?? false,
    siteUrl: config.baseUrl && parseBaseUrl(config.baseUrl),
    accessNoticeDays: config.accessNoticeDays,
    oai: config.oai,
    authorities: new LiveAuthorities(config.authorities),
    adminPages,
    restartSettings: shownSettings(config),
    hasTombstones: config.tombstones,
    crowd: new CrowdWatch(),
    challenge: config.robots.challenge,
    traffic: new TrafficCounter(),
    trafficKeptSeconds: config.robots.trafficKeptSeconds,
    robotVerifier: new RobotVerifier(),
    program: { name, version, license, description },
    edition: `${version} ${model.fingerprint}`,
    tokenExpirySeconds: config.tokenExpirySeconds,
    maxJsonBytes: config.maxJsonBytes,
    maxUploadBytes: config.maxUploadBytes,
    minUploadRate: { bytesPerSecond: config.minUploadRate, periodSeconds: config.minUploadPeriodSeconds },
  };
}

/** Creates the mailer of a site, whose name may change. Undefined without a mail server. */
export function createMail(
  { warn }: JobServices,
  { mail, baseUrl }: RepositoryConfig,
  siteName: () => string,
): ApiServices['mail'] {
  const { server, from } = mail;
  if (server === undefined || from === undefined || baseUrl === undefined) return undefined;
  return { mailer: createMailer({ ...mail, server, from }, { siteName, warn }), baseUrl: parseBaseUrl(baseUrl) };
}
