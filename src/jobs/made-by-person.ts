import { eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { files } from '../database/schema/files.ts';
import { references } from '../database/schema/references.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { type Attachment, matching } from '../repository/media/attach-file.ts';

type Place = { readonly nodeId: number; readonly termId: number; readonly type: string; readonly field: string };

const findFiles = prepare(({ nodeId, termId, type, field }: Named<Place>) =>
  plain(
    sql`SELECT ${files.madeBy} FROM (${matching(nodeId, termId, type)}) matched
      CROSS JOIN ${references} ON ${references.sourceType} = 'media' AND ${references.sourceId} = matched.id
        AND ${references.field} = ${field} AND ${references.targetType} = 'file' AND ${references.delta} = 0
      CROSS JOIN ${files} ON ${eq(files.id, references.targetId)}
      LIMIT 1`,
    { madeBy: files.madeBy },
  ),
);

/**
 * Returns true if a person has replaced a derivative of a node, or has added a file in its place in the browser. Files that
 * programs add before the original are replaced, as by a PUT (spec: rest-behaviour, 5.1).
 */
export async function hasFileOfPerson(database: Database, { nodeId, termId, type }: Attachment): Promise<boolean> {
  const place = { nodeId, termId, type: type.name, field: type.sourceField.name };
  const [file] = await database.all(findFiles(place));
  return file?.madeBy === '';
}
