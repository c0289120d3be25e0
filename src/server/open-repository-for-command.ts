import { CommandError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { nearest } from '../base/nearest.ts';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import { loadDerivativeRules } from '../jobs/load-rules.ts';
import { type Actor, ADMINISTRATOR_ID, createActorFactory } from '../repository/actor.ts';
import { createKinds } from '../repository/content/kinds.ts';
import { createFindContent } from '../repository/content/read/find-content.ts';
import { GRACE_MS } from '../repository/files/discarded.ts';
import { expectMarkers } from '../repository/files/store-markers.ts';
import { ADMINISTRATOR_NAME } from '../repository/setup/first-users.ts';
import { createFindAccount } from '../repository/users/find-account.ts';
import { createFindUser, listUsers, type User } from '../repository/users/find-user.ts';
import { known } from '../repository/users/manage-users.ts';
import type { LoadContext } from '../transfer/table/table-options.ts';
import { serverAddress } from './listen.ts';
import { loadModel } from './load-model.ts';
import { logDamagedTexts, openExisting } from './open-database.ts';
import { createServices } from './open-repository.ts';
import { openStores } from './open-stores.ts';

/** A repository as a command uses it, while its servers may be running. */
export interface CommandRepository {
  readonly config: ServerConfig;
  readonly services: JobServices;
  /** The configured base URL, or the address of the server on this machine. */
  readonly baseUrl: string;
  /** Finds a user, or the administrator without a name. Throws CommandError with the most similar name. */
  findUser(name?: string): Promise<User>;
  actorOf(user: User): Actor;
  /** Returns what an import or an export on behalf of a user works with. */
  contextOf(user: User): LoadContext;
  /** Returns what bulk changes work with. */
  bulkParts(): BulkParts;
  /** Waits until discarded objects are deleted: servers may be about to open one that they found in a row. */
  settleDiscards(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an existing repository, without the setup and the clean-up of a start. Throws CommandError if there is none, and
 * if it must be migrated first. `hasStores`: true to open the stores, which some commands do not need. `fieldTypes`: those
 * that the content model may use (default: the built-in ones).
 */
export async function openRepositoryForCommand(
  config: ServerConfig,
  log: Log,
  { hasStores = false, fieldTypes }: { readonly hasStores?: boolean; readonly fieldTypes?: FieldTypes } = {},
): Promise<CommandRepository> {
  const model = await loadModel(config, fieldTypes);
  const rules = await loadDerivativeRules(config, model);
  const database = await openExisting(config);
  logDamagedTexts(database, log);
  const schemes = hasStores ? await openStores(config, log) : new Map();
  await expectMarkers(database, schemes);
  const services = createServices({ ...config, database, model, schemes, rules, log, fieldTypes });
  await services.access.refresh();
  const findUser = createFindUser(database);
  const makeActor = createActorFactory(model, services.access);
  const actorOf = ({ row: { id, uuid, name }, roles }: User) => makeActor({ id, uuid, name, roles });
  return {
    config,
    services,
    baseUrl: config.baseUrl === undefined ? serverAddress(config) : parseBaseUrl(config.baseUrl),
    async findUser(name) {
      if (name === undefined) return known(await findUser.byId(ADMINISTRATOR_ID), ADMINISTRATOR_NAME);
      const user = await findUser.byName(name);
      if (user !== undefined && user.row.id !== 0) return user;
      const names = (await listUsers(database)).map((each) => each.name);
      const guess = nearest(name, names);
      const hint = guess === undefined ? 'list all users with: repo user list' : `did you mean ${guess}?`;
      throw new CommandError(`Unknown user ${name}; ${hint}`);
    },
    actorOf,
    contextOf: (user) => ({ services, kinds: createKinds(model), actor: actorOf(user) }),
    bulkParts() {
      const kinds = createKinds(model);
      const findContent = createFindContent(database, kinds);
      const { idleLimitSeconds: idleSeconds, absoluteLimitSeconds: absoluteSeconds } = config.sessions;
      const findAccount = createFindAccount(database, { idleSeconds, absoluteSeconds });
      return { services, kinds, findContent, findAccount, makeActor };
    },
    async settleDiscards() {
      await Bun.sleep(GRACE_MS);
      await services.discards.stop();
    },
    async close() {
      await services.discards.stop();
      await database.close();
    },
  };
}
