import type { PackageFile } from '../../packages/package.ts';
import type { Services } from '../../repository/services.ts';
import { jsonFile } from './json-file.ts';
import { documentPath } from './package-layout.ts';

/** A user as a package names them: nothing else of an account leaves the repository. */
export interface PackedUser {
  readonly name: string;
  readonly uuid: string;
  readonly path: string;
  readonly file: PackageFile;
}

/** Users by their ids. */
export async function gatherUsers(
  { database }: Services,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, PackedUser>> {
  const { rows } = await database.client.execute({
    sql: 'SELECT id, uuid, name FROM user WHERE id IN (SELECT value FROM json_each(?))',
    args: [JSON.stringify([...new Set(ids)])],
  });
  return new Map(
    (rows as unknown as [number, string, string][]).map(([id, uuid, name]) => {
      const file = jsonFile({ uuid: [{ value: uuid }], name: [{ value: name }] });
      return [id, { name, uuid, path: documentPath('user', uuid), file }];
    }),
  );
}
