import { resolve } from 'node:path';
import { issueToken } from '../auth/issue-token.ts';
import { generatePassword } from '../auth/password.ts';
import type { Log } from '../base/log.ts';
import { nearest } from '../base/nearest.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { createFindUser, type User } from '../repository/users/find-user.ts';
import { type ListedUser, listUsers } from '../repository/users/list-users.ts';
import { createUser, setBlocked, setPassword, setRoles } from '../repository/users/manage-users.ts';
import { CommandError } from './command-error.ts';
import { createDerivativeAdministration, type DerivativeAdministration } from './derivative-administration.ts';
import { createExportAdministration, type ExportAdministration } from './export-administration.ts';
import { createImportAdministration, type ImportAdministration } from './import-administration.ts';
import { loadKeys } from './load-keys.ts';
import { loadModel } from './load-model.ts';
import { loadRules } from './load-rules.ts';
import { openExisting } from './open-database.ts';
import { createServices } from './open-repository.ts';
import { openStores } from './open-stores.ts';
import { createPackageAdministration, type PackageAdministration } from './package-administration.ts';
import type { ServerConfig } from './repository-config.ts';
import { createScanAdministration, type ScanAdministration } from './scan-administration.ts';
import { serverAddress } from './server-address.ts';
import { createSettingAdministration, type SettingAdministration } from './setting-administration.ts';
import { createStorageAdministration, type StorageAdministration } from './storage-administration.ts';
import { createMoveAdministration, type MoveAdministration } from './storage-move-administration.ts';

/** What an administrator does to a repository from the machine that it is on. In force at once, for a server that runs too. */
export interface Administration {
  /** `password` left out: one is made up. Answers the id, and the password if it was made up. */
  addUser(user: {
    name: string;
    mail: string | undefined;
    roles: readonly string[];
    password: string | undefined;
  }): Promise<{ id: number; generatedPassword: string | undefined }>;
  /** Answers the password if it was made up. Ends the user's sessions. */
  changePassword(name: string, password: string | undefined): Promise<string | undefined>;
  setBlocked(name: string, isBlocked: boolean): Promise<void>;
  addRole(name: string, role: string): Promise<readonly string[]>;
  removeRole(name: string, role: string): Promise<readonly string[]>;
  users(): Promise<readonly ListedUser[]>;
  /** A token as `/jwt/token` issues it. */
  issueToken(name: string, expirySeconds: number | undefined): Promise<string>;
  readonly settings: SettingAdministration;
  readonly derivatives: DerivativeAdministration & ScanAdministration;
  /** These need the stores (`hasStores`). */
  readonly storage: StorageAdministration;
  readonly moves: MoveAdministration;
  readonly exports: ExportAdministration;
  readonly imports: ImportAdministration;
  readonly packages: PackageAdministration;
  close(): Promise<void>;
}

export interface AdministrationOptions {
  /** Whether it is about stored bytes; other work does without the stores, and without the right to write to them. */
  readonly hasStores?: boolean;
}

/**
 * Opens a repository that is there, and leaves alone what a start would set up or clear. Throws CommandError for
 * a data folder that holds none or one that must be migrated first; the members throw ServiceError.
 */
export async function openAdministration(
  config: ServerConfig,
  log: Log,
  options: AdministrationOptions = {},
): Promise<Administration> {
  const dataFolder = resolve(config.dataFolder);
  const model = await loadModel(config);
  const rules = await loadRules(config, model);
  const database = await openExisting(config);
  const schemes = options.hasStores ? await openStores(config, log) : new Map();
  const services = createServices({ database, model, schemes, rules, log });
  const findUser = createFindUser(database);
  const baseUrl = config.baseUrl === undefined ? serverAddress(config) : parseBaseUrl(config.baseUrl);

  async function find(name: string): Promise<User> {
    const user = await findUser.byName(name);
    if (user !== undefined && user.row.id !== 0) return user;
    const names = (await listUsers(database)).map((each) => each.name);
    const guess = nearest(name, names);
    const hint = guess === undefined ? 'see them with: repo user list' : `did you mean ${guess}?`;
    throw new CommandError(`There is no user named ${name}; ${hint}`);
  }

  async function changeRoles(name: string, change: (roles: readonly string[]) => string[]): Promise<readonly string[]> {
    const user = await find(name);
    const roles = change(user.roles);
    await setRoles(services, user, roles);
    return roles;
  }

  return {
    async addUser({ name, mail, roles, password }) {
      const chosen = password ?? generatePassword();
      const id = await createUser(services, { name, password: chosen, roles, ...(mail !== undefined && { mail }) });
      return { id, generatedPassword: password === undefined ? chosen : undefined };
    },
    async changePassword(name, password) {
      const chosen = password ?? generatePassword();
      await setPassword(services, await find(name), chosen);
      return password === undefined ? chosen : undefined;
    },
    setBlocked: async (name, isBlocked) => setBlocked(services, await find(name), isBlocked),
    addRole: (name, role) => changeRoles(name, (roles) => [...new Set([...roles, role])]),
    removeRole: (name, role) =>
      changeRoles(name, (roles) => {
        if (roles.includes(role)) return roles.filter((each) => each !== role);
        const held = roles.length === 0 ? 'no roles at all' : `the roles ${roles.join(', ')}`;
        throw new CommandError(`${name} does not have the role ${role}, but ${held}.`);
      }),
    users: () => listUsers(database),
    async issueToken(name, expirySeconds) {
      const { row, roles } = await find(name);
      if (!row.status) throw new CommandError(`${name} is blocked: a token would be refused.`);
      const subject = {
        uid: row.id,
        name: row.name,
        roles,
        credentialsChanged: row.credentialsChanged,
        issuer: baseUrl,
        now: Date.now(),
        expirySeconds: expirySeconds ?? config.tokenExpirySeconds,
      };
      return issueToken(subject, (await loadKeys(database, dataFolder)).signingKey);
    },
    settings: createSettingAdministration(database),
    derivatives: {
      ...createDerivativeAdministration(services, baseUrl),
      ...createScanAdministration(services, findUser),
    },
    storage: createStorageAdministration(services),
    moves: createMoveAdministration(services),
    exports: createExportAdministration(services, findUser, find),
    imports: createImportAdministration(services, find, config.baseUrl === undefined ? '' : baseUrl),
    packages: createPackageAdministration(services, find),
    async close() {
      await services.discards.stop();
      await database.close();
    },
  };
}
