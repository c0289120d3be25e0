import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
import { createOwnTokenVerifier } from '../auth/verify-own-token.ts';
import type { Log } from '../base/log.ts';
import { nowSeconds } from '../base/now-seconds.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { Database } from '../database/database.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import { builtInTypes } from '../field-types/registry.ts';
import { createTextProcessor } from '../field-types/text-format.ts';
import { robotsText } from '../http/robots-text.ts';
import { WorkBudget } from '../http/work-budget.ts';
import { createComputedImages } from '../iiif/image/computed-images.ts';
import { createImages } from '../iiif/image/create-images.ts';
import { createImageCache } from '../iiif/image/image-cache.ts';
import { readQueueFigures } from '../jobs/find-jobs.ts';
import { createJobPlanner, type JobServices } from '../jobs/job-planner.ts';
import { configuredUris, loadDerivativeRules } from '../jobs/load-rules.ts';
import { addQueueFigures } from '../jobs/metrics.ts';
import type { DerivativeRules } from '../jobs/rules.ts';
import type { ContentModel } from '../model/content-model.ts';
import { describeRemoved } from '../pages/content/describe-removed.ts';
import { ADMINISTRATOR_ID } from '../repository/actor.ts';
import { TermCache } from '../repository/content/fill/term-cache.ts';
import { Tombstones } from '../repository/content/tombstones.ts';
import { createInsert } from '../repository/content/write/insert-content.ts';
import { createDiscardQueue, GRACE_MS, removeDiscarded } from '../repository/files/discarded.ts';
import { createFileIds } from '../repository/files/file-rows.ts';
import { createGenericIcon } from '../repository/files/generic-icon.ts';
import type { Scheme } from '../repository/files/scheme.ts';
import { adoptMarkers } from '../repository/files/store-markers.ts';
import { unconfiguredStores } from '../repository/files/stored-files.ts';
import { adoptEmptyIndex } from '../repository/search-index/index-state.ts';
import { createSearchIndex } from '../repository/search-index/search-services.ts';
import { adoptModel } from '../repository/setup/adopt-model.ts';
import { ADMINISTRATOR_NAME, createFirstUsers } from '../repository/setup/first-users.ts';
import { orderTerms } from '../repository/setup/order-terms.ts';
import { seedTerms } from '../repository/setup/seed-terms.ts';
import { known } from '../repository/users/manage-users.ts';
import { createWaker } from '../runs/waker.ts';
import { ensureFolders } from '../storage/real-folder.ts';
import { PRESIGNED_SECONDS } from '../storage/storage.ts';
import { addFixityFigures, fixityFigures } from '../upkeep/fixity/verify-report.ts';
import { addDatabaseFigures } from '../upkeep/integrity/check-metrics.ts';
import type { AdminPage, ApiServices } from '../web/api-services.ts';
import { createWorkFigures } from '../web/work-figures.ts';
import { createAccess } from './create-access.ts';
import { createApiServices, createMail } from './create-api-services.ts';
import { createSearch } from './create-search.ts';
import { createCurrentSite, withCurrentSite } from './current-site.ts';
import { createImageComputer } from './image-computer.ts';
import { loadKeys } from './load-keys.ts';
import { isOwnPath, loadModel } from './load-model.ts';
import { budgetRates, loadRobots } from './load-robots.ts';
import { loadSite } from './load-site.ts';
import { logDamagedTexts, openMigrated } from './open-database.ts';
import { clearUp, openStores } from './open-stores.ts';
import { loadCounterRobots, openUsage } from './open-usage.ts';
import type { Processor } from './processor.ts';
import { createReadStatus } from './status/read-status.ts';
import type { ShownMetrics } from './workers/gather-metrics.ts';

/** The folder of computed images in the data folder. */
const IMAGE_FOLDER = 'images';

export interface OpenRepository {
  readonly api: ApiServices;
  readonly services: JobServices;
  close(): Promise<void>;
}

interface OpenOptions {
  /** True to drop removed fields of the content model that hold data. */
  readonly dropsFields?: boolean;
  /** True to migrate a database that servers share. The other servers must have been stopped. */
  readonly migratesShared?: boolean;
  /** The field types that the content model may use (default: the built-in ones). */
  readonly fieldTypes?: FieldTypes | undefined;
  /** The pages for the management of the repository (default: the built-in ones). */
  readonly adminPages?: readonly AdminPage[] | undefined;
  /** As in `MigrateOptions`. */
  readonly startsNew?: boolean | undefined;
  /** The registry of the process's metrics. */
  readonly metrics?: Registry;
  /** The metrics of `/metrics` (default: those of the process). */
  readonly shownMetrics?: ShownMetrics;
  /** The number of processes that share the port. Default: 1. */
  readonly workers?: number | undefined;
  /** The processor that computes images. Default: images are only served as they are stored. */
  readonly processor?: Processor | undefined;
}

/**
 * Opens the repository of a data folder, or creates it: database, migrations, content model, storage, keys. Cleans up
 * after killed processes. The administrator may have no password yet (`ensureAdministratorPassword`). Throws ConfigError for
 * an unusable model or key, UnusableDatabaseError, NewerDatabaseError, CommandError for a shared database of an older
 * version, ModelConflictError, and errors of the file system.
 */
export async function openRepository(
  config: RepositoryConfig,
  log: Log,
  options: OpenOptions = {},
): Promise<OpenRepository> {
  const dataFolder = resolve(config.dataFolder);
  // Before anything is created, so that an invalid configuration leaves no files.
  const { fieldTypes } = options;
  const model = await loadModel(config, fieldTypes);
  const rules = await loadDerivativeRules(config, model);
  const fileSite = await loadSite(config);
  const knownRobots = await loadRobots(config);
  const isRobot = await loadCounterRobots(config);
  await ensureFolders(dataFolder);
  const database = await openMigrated(config, log, options);
  logDamagedTexts(database, log);
  try {
    const { signingKey, secret } = await loadKeys(database, dataFolder);
    const schemes = await openStores(config, log);
    for (const { scheme, error } of await adoptMarkers(database, schemes))
      log.error({ scheme, err: error }, `the store ${scheme} cannot be used: files cannot be stored in it, or read`);
    const services = createServices({ ...config, database, model, schemes, rules, log, fieldTypes });
    await services.access.refresh();
    await adoptModel(services, options.dropsFields ?? false);
    await orderTerms(database);
    await adoptEmptyIndex(database, services.search.model.version);
    await createFirstUsers(services);
    const verifyToken = createOwnTokenVerifier({ keys: [signingKey], now: Date.now });
    const { metrics = new Registry() } = options;
    addQueueFigures(metrics, () => readQueueFigures(database));
    addFixityFigures(metrics, () => fixityFigures(database));
    addDatabaseFigures(metrics, database);
    const computer = createImageComputer(options.processor, { signingKey, issuer: config.baseUrl ?? '' });
    const cache = createImageCache({
      folder: join(dataFolder, IMAGE_FOLDER),
      maxBytes: config.images.cacheBytes,
      warn: services.warn,
    });
    const computed = createComputedImages(services, computer, cache);
    const images = createImages({ ...services, computed, maxPixels: config.images.maxPixels });
    const search = createSearch(services, config);
    const readStatus = createReadStatus({
      services,
      config,
      workers: options.workers ?? 1,
      programs: options.processor?.programs,
    });
    const site = createCurrentSite(services, fileSite);
    await site.refreshSite();
    const api = withCurrentSite(site, {
      ...createApiServices(services, config, options.adminPages),
      knownRobots,
      workBudget: new WorkBudget(budgetRates(config, options.workers)),
      workFigures: createWorkFigures(metrics),
      robots: config.site.robots ?? robotsText(config.robots.policy, knownRobots),
      mail: createMail(services, config, () => site.siteName),
      images,
      search,
      signingKey,
      secret,
      verifyToken,
      metrics: options.shownMetrics ?? metrics,
      readStatus,
      usage: openUsage(services, config, isRobot),
    });
    services.tombstones.writeWith((content) => describeRemoved(api, content));
    await fill(api);
    await clearUp(services, log);
    const lost = await unconfiguredStores(services);
    if (lost.length > 0)
      log.error(
        { schemes: lost },
        `files are kept in ${lost.join(', ')}, which is not configured: they cannot be read`,
      );
    const close = async () => {
      await api.mail?.mailer.settle();
      await api.background.stop();
      await storeLastUses(api);
      await search.close();
      await services.discards.stop();
      await database.close();
    };
    return { services, api, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Stores the uses that were counted since the last time. A database that refuses them must not prevent the stop. */
async function storeLastUses({ usage, services }: ApiServices): Promise<void> {
  try {
    await usage.store?.store();
  } catch (error) {
    services.warn('the last uses are missing in the usage statistics', error);
  }
}

interface ServiceParts extends Pick<RepositoryConfig, 'networks' | 'timeZone'> {
  readonly database: Database;
  readonly model: ContentModel;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly rules: DerivativeRules;
  readonly log: Log;
  readonly fieldTypes?: FieldTypes | undefined;
}

/** Creates the services of the domain. */
export function createServices(parts: ServiceParts): JobServices {
  const { database, model, schemes, rules, log, fieldTypes = builtInTypes } = parts;
  const viewPaths = new Set(Array.from(model.views.values(), ({ path }) => path));
  const { access, names } = createAccess({ ...parts, now: nowSeconds });
  const services: JobServices = {
    database,
    model,
    access,
    schemes,
    fields: {
      types: fieldTypes,
      languages: model.languages,
      textFormats: new Set(model.textFormats.keys()),
      access: names,
      process: createTextProcessor(model.textFormats, model.fallbackFormat),
      isOwnPath: (path) => isOwnPath(path) || viewPaths.has(path),
    },
    terms: new TermCache(),
    configuredUris: configuredUris(model, rules),
    insert: createInsert(database),
    removals: createWaker(),
    merges: createWaker(),
    reports: createWaker(),
    tombstones: new Tombstones(),
    search: createSearchIndex(database, model, fieldTypes),
    fileIds: createFileIds(database),
    derivatives: createJobPlanner({
      ...{ database, rules, now: nowSeconds, services: () => services },
      warn: (message) => log.warn(message),
    }),
    now: nowSeconds,
    discards: createDiscardQueue((scheme, key) => removeDiscarded(services, scheme, key), {
      graceMsOf: (store) =>
        GRACE_MS + (schemes.get(store)?.storage.presign === undefined ? 0 : PRESIGNED_SECONDS * 1_000),
    }),
    warn: (message, cause) => log.warn({ err: cause }, message),
  };
  return services;
}

/** Adds the initial content of a repository; a few look-ups if it exists. */
async function fill({ services, kinds, findUser, makeActor }: ApiServices): Promise<void> {
  const administrator = known(await findUser.byId(ADMINISTRATOR_ID), ADMINISTRATOR_NAME);
  const actor = makeActor({ ...administrator.row, roles: ['administrator'] });
  await createGenericIcon(services, actor);
  await seedTerms(services, actor, kinds.taxonomy_term);
}
