import { createActorFactory } from '../../src/repository/actor.ts';
import { createKinds } from '../../src/repository/content/kinds.ts';
import { createFindUser } from '../../src/repository/users/find-user.ts';
import type { Package, PackageFile, PackageVersion } from '../../src/transfer/files/package.ts';
import type { LoadContext } from '../../src/transfer/table/table-options.ts';
import type { TestRepository } from './test-repository.ts';

/** Returns the parts that loading needs, on behalf of a user of a repository. */
export async function loadContextOf({ running: { services } }: TestRepository, name = 'admin'): Promise<LoadContext> {
  const user = await createFindUser(services.database).byName(name);
  if (user === undefined) throw new Error(`there is no user ${name}`);
  const { row, roles } = user;
  const actor = createActorFactory(services.model)({ id: row.id, uuid: row.uuid, name: row.name, roles });
  return { services, kinds: createKinds(services.model), actor };
}

/** A file of a package that holds a text. */
export function textInPackage(text: string | Uint8Array): PackageFile {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.byteLength,
    async *open() {
      yield bytes;
    },
  };
}

/** The whole of a file of a package. */
export async function bytesOf(file: PackageFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same package with other files in its versions. */
export function withFiles(
  source: Package,
  change: (files: Map<string, PackageFile>, index: number) => void | Promise<void>,
): Promise<Package> {
  const versions = source.versions.map(async (version, index): Promise<PackageVersion> => {
    const files = new Map(version.files);
    await change(files, index);
    return { ...version, files };
  });
  return Promise.all(versions).then((all) => ({ ...source, versions: all }));
}
