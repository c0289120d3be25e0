import { madeOnce } from '../../base/made-once.ts';
import type { Bundle, ContentModel } from '../../model/content-model.ts';
import { isFileAdministrator } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { LinkedType } from '../content/kinds.ts';
import { hostsOf, readHosts } from '../content/paragraph-hosts.ts';
import { type Condition, visibleRows } from '../content/visible-rows.ts';
import { GENERIC_ICON_URI } from '../media/generic-icon.ts';
import { CONTENT_ACCESS, paragraphAccess } from '../paragraph-access.ts';
import type { Services } from '../services.ts';
import { ADMINISTRATOR_ID } from '../setup/first-users.ts';

/**
 * In every scheme, callers may read a file if they may view an entity that refers to it (decisions: "who may read a
 * file"). Its owner and administrators may read an unreferenced file, and everyone the generic icon.
 */

/** Maximum number of paragraphs of one file that are checked: a file in a hundred hidden paragraphs counts as hidden. */
const MAX_PARAGRAPHS = 100;

/** The types of content that can refer to files under a model. */
const referringTypes = madeOnce((model: ContentModel) => {
  const refersToFiles = (bundles: ReadonlyMap<string, Bundle>) =>
    [...bundles.values()].some(({ fields }) => fields.some(({ targetType }) => targetType === 'file'));
  const linked: LinkedType[] = ['media'];
  if (refersToFiles(model.nodeTypes)) linked.push('node');
  if (refersToFiles(model.vocabularies)) linked.push('taxonomy_term');
  return { linked, hasParagraphs: refersToFiles(model.paragraphTypes) };
});

const IS_ICON = `file.uri = '${GENERIC_ICON_URI}' AND file.owner_id = ${ADMINISTRATOR_ID}`;

/**
 * Returns the condition that the actor may read a row of `file`. For files of paragraphs, which a query cannot decide,
 * see `paragraphsOf`.
 */
export function readableFiles(model: ContentModel, actor: Actor): Condition {
  const visible = referringTypes(model).linked.map((type) => {
    const { sql, args } = visibleRows({ type, access: CONTENT_ACCESS[type] }, actor, 'e');
    const isReferrer = `r.target_type = 'file' AND r.target_id = file.id AND r.source_type = '${type}'`;
    return {
      sql: `EXISTS (SELECT 1 FROM reference r JOIN ${type} e ON e.id = r.source_id WHERE ${isReferrer} AND ${sql})`,
      args,
    };
  });
  const conditions = [...visible, unreferencedFiles(actor)];
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')} OR ${IS_ICON})`,
    args: conditions.flatMap(({ args }) => args),
  };
}

function unreferencedFiles(actor: Actor): Condition {
  if (!actor.isAuthenticated) return { sql: 'FALSE', args: [] };
  const isUnreferenced =
    "NOT EXISTS (SELECT 1 FROM reference r WHERE r.target_type = 'file' AND r.target_id = file.id)";
  if (isFileAdministrator(actor)) return { sql: isUnreferenced, args: [] };
  return { sql: `(file.owner_id = ? AND ${isUnreferenced})`, args: [actor.id] };
}

/** Returns the SQL of the paragraphs that refer to a row of `file`, as a JSON column; `NULL` if no type can do so. */
export function paragraphsOf(model: ContentModel): string {
  if (!referringTypes(model).hasParagraphs) return 'NULL';
  return `(SELECT json_group_array(json_array(bundle, owner_id, status, hosts)) FROM (
    SELECT p.bundle, p.owner_id, p.status, ${hostsOf('p')} AS hosts FROM reference r JOIN paragraph p ON p.id = r.source_id
    WHERE r.target_type = 'file' AND r.target_id = file.id AND r.source_type = 'paragraph' LIMIT ${MAX_PARAGRAPHS}))`;
}

type ParagraphRow = [bundle: string, ownerId: number, status: number, hosts: string];

/** Returns whether the actor may view one of the paragraphs in the column of `paragraphsOf`. */
export function seesParagraph(actor: Actor, column: string | null): boolean {
  if (column === null) return false;
  return (JSON.parse(column) as ParagraphRow[]).some(([bundle, ownerId, status, hosts]) => {
    const facts = { bundle, ownerId, status: status === 1, hosts: readHosts(hosts) };
    return paragraphAccess.view(actor, facts).isAllowed;
  });
}

/** Returns whether the actor may read a file, by its id. */
export async function mayReadFile({ database, model }: Services, actor: Actor, fileId: number): Promise<boolean> {
  const { sql, args } = readableFiles(model, actor);
  const row = await database.first(`SELECT ${sql}, ${paragraphsOf(model)} FROM file WHERE id = ?`, [...args, fileId]);
  return row !== undefined && (row[0] === 1 || seesParagraph(actor, row[1] as string | null));
}
