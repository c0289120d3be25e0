import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { literal, nested } from '../database/sql.ts';
import { ALTERNATIVE_NAME_FIELDS } from '../model/alternative-names.ts';

const PATHS = sql.join(
  ALTERNATIVE_NAME_FIELDS.map((name) => sql`(${literal(`$.${name}`)})`),
  sql`, `,
);

/** Returns the expression for the other names of a term, one in each line, by its document. Null without any. */
export function alternativeNames(document: SQLWrapper): SQL<string | null> {
  return nested(sql<string | null>`(SELECT group_concat(item.value ->> '$.value', char(10))
    FROM (VALUES ${PATHS}) path JOIN json_each(${document}, path.column1) item)`);
}
