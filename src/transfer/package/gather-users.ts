import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import type { PackageFile } from '../files/package.ts';
import { jsonFile } from './json-file.ts';
import { documentPath } from './package-layout.ts';

/** A user as a package names them: nothing else of an account leaves the repository. */
export interface PackedUser {
  readonly name: string;
  readonly uuid: string;
  readonly path: string;
  readonly file: PackageFile;
}

const findUsers = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select({ id: users.id, uuid: users.uuid, name: users.name }).from(users).where(isAmong(users.id, ids)),
);

/** Users by their ids. */
export async function gatherUsers(
  { database }: Services,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, PackedUser>> {
  const found = await database.all(findUsers({ ids: JSON.stringify([...new Set(ids)]) }));
  return new Map(
    found.map(({ id, uuid, name }) => {
      const file = jsonFile({ uuid: [{ value: uuid }], name: [{ value: name }] });
      return [id, { name, uuid, path: documentPath('user', uuid), file }];
    }),
  );
}
