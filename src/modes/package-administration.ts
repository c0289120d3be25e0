import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { codeOf } from '../base/errors.ts';
import {
  type ImportOptions,
  type ImportProgress,
  type ImportSummary,
  importPackages,
  type ListPackages,
  type PackageSource,
} from '../loading/package/import-packages.ts';
import type { ImportProblem } from '../loading/package/package-problem.ts';
import { readBag } from '../packages/bagit/read-bag.ts';
import { listOcflObjects } from '../packages/ocfl/list-objects.ts';
import { readOcflObject } from '../packages/ocfl/read-object.ts';
import { createActorFactory } from '../repository/actor.ts';
import { createKinds } from '../repository/content/kinds.ts';
import type { Services } from '../repository/services.ts';
import type { User } from '../repository/users/find-user.ts';
import { CommandError } from './command-error.ts';

export type { ImportOptions, ImportProblem, ImportProgress, ImportSummary };

/** Where packages are, and on whose behalf they are loaded. */
export interface PackageRequest {
  readonly format: 'bag' | 'ocfl';
  readonly path: string;
  readonly user: string;
}

/** The way of packages into the repository, from a machine that has its stores. */
export interface PackageAdministration {
  /**
   * Checks packages, and loads them if there is nothing wrong with any. Throws CommandError for a user who may not, and for a
   * path where no packages are; PackageError for a storage root that is none.
   */
  load(request: PackageRequest, options: ImportOptions): Promise<ImportSummary>;
}

/** What is restored has owners, times and a history that nobody else may give to content. */
const NEEDED = ['administer nodes', 'administer media', 'administer taxonomy', 'bypass node access'];

/** To be called with services that have the stores open; `findNamed` throws CommandError for a user that there is not. */
export function createPackageAdministration(
  services: Services,
  findNamed: (name: string) => Promise<User>,
): PackageAdministration {
  return {
    async load({ format, path, user }, options) {
      const { row, roles } = await findNamed(user);
      if (!row.status)
        throw new CommandError(`${row.name} is blocked: let them in first with: repo user unblock ${row.name}`);
      const actor = createActorFactory(services.model)({ id: row.id, uuid: row.uuid, name: row.name, roles });
      const lacking = NEEDED.filter((permission) => !actor.may(permission));
      if (lacking.length > 0)
        throw new CommandError(
          `${row.name} may not load packages, with their owners and their history: that takes the permissions ${lacking.join(', ')}.`,
        );
      const list = format === 'bag' ? await bagsAt(path) : objectsAt(path);
      return importPackages({ services, kinds: createKinds(services.model), actor }, list, options);
    },
  };
}

/** A bag in a folder or a zip file, or all of these that are in a folder. */
async function bagsAt(path: string): Promise<ListPackages> {
  if (await isFile(path)) return listed([bag(path)]);
  const entries = await readdir(path, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'bagit.txt')) return listed([bag(path)]);
  const bags = entries
    // What another program is still writing has a name with a dot before it; beside bags there may be texts to read.
    .filter((entry) => !entry.name.startsWith('.') && (!entry.isFile() || /\.zip$/i.test(entry.name)))
    .map(({ name }) => name)
    .sort()
    .map((name) => bag(join(path, name)));
  if (bags.length === 0) throw new CommandError(`There is no bag in ${path}, neither as a folder nor as a zip file.`);
  return listed(bags);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new CommandError(`There is no ${path}.`);
    throw error;
  }
}

function bag(path: string): PackageSource {
  return { name: basename(resolve(path)), read: (signal) => readBag(path, { signal }) };
}

function listed(sources: readonly PackageSource[]): ListPackages {
  return async function* () {
    yield* sources;
  };
}

/** An OCFL object, or all of a storage root. */
function objectsAt(path: string): ListPackages {
  return async function* () {
    for await (const folder of listOcflObjects(path)) {
      // By the whole way to it: in some layouts all objects are in folders of one name.
      const name = relative(path, folder) || basename(resolve(folder));
      yield { name, read: (signal) => readOcflObject(folder, signal) };
    }
  };
}
