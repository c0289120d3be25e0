import { and, eq, not, type SQL, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { isDamaged } from '../../../database/damage.ts';
import { isDamagedRow } from '../../../database/damaged-text.ts';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { type ContentRow, media, nodes, paragraphs } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { isAmong, isText, nested } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { Item } from '../../../model/content-model.ts';
import { mediaSetOf, nodeAccessOf, readNodeAccess } from '../../access/set-columns.ts';
import type { ContentType } from '../../access-rule.ts';
import { isMerged } from '../../merged-terms.ts';
import { HAS_REMOVED, isRemoved, lostTargets } from '../../removed-targets.ts';
import { type Content, decode, membersOf, type ReadRow } from '../content.ts';
import type { ContentKind, ContentKinds } from '../kinds.ts';
import { type MediaNodesColumn, mediaNodesOf, mediaUseIds, readMediaNodes } from '../media-nodes.ts';
import { referringFields } from '../referring-fields.ts';
import { hostsOf, readHosts } from './paragraph-hosts.ts';

/** Finds content by id; undefined if it does not exist. */
export type FindContent = (type: ContentType, id: number) => Promise<Content | undefined>;

export function createFindContent(database: Database, kinds: ContentKinds): FindContent {
  return async (type, id) => {
    const row = await database.get(prepareReads(kinds[type]).row({ id }));
    return row && toContent(kinds[type], row);
  };
}

const prepareReads = madeOnce((kind: ContentKind) => {
  const { table } = kind;
  const columns = columnsOf(kind);
  const exists = kind.type === 'taxonomy_term' ? not(isMerged(table.id)) : undefined;
  return {
    row: prepare(({ id }: Named<{ id: number }>) =>
      query
        .select(columns)
        .from(table)
        .where(and(eq(table.id, id), exists)),
    ),
    rows: prepare(({ ids }: Named<{ ids: string }>) =>
      query
        .select(columns)
        .from(table)
        .where(and(isAmong(table.id, ids), exists)),
    ),
  };
});

/**
 * Returns existing content with the given ids, in no order, without content whose row has a damaged text: `onDamaged` gets
 * its id, and the log of the database has its row.
 */
export async function findAllContent(
  database: Database,
  kind: ContentKind,
  ids: readonly number[],
  onDamaged: (id: number) => void = () => {},
): Promise<Content[]> {
  const rows = await database.all(prepareReads(kind).rows({ ids: JSON.stringify(ids) }));
  return rows.flatMap((row) => {
    try {
      if (!isDamagedRow(row)) return toContent(kind, row) ?? [];
    } catch (error) {
      if (!isDamaged(error)) throw error;
    }
    onDamaged(row.id);
    return [];
  });
}

/**
 * Returns the columns of a read: the head, the document, the number of deleted targets that it still refers to, the
 * remaining references if targets were deleted, and the nodes of a media or the hosts of a paragraph, on which its
 * visibility depends.
 */
function columnsOf({ table, type }: ContentKind) {
  const { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog } = table;
  const { document } = table;
  const head = { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog };
  const remaining = query
    .select({ list: sql`json_group_array(${references.field} || ' ' || ${references.delta})` })
    .from(references)
    .where(and(isText(references.sourceType, type), eq(references.sourceId, id), not(isRemoved(references))));
  const left = sql<string | null>`CASE WHEN ${isDangling} = 1 OR ${HAS_REMOVED} THEN ${remaining} END`;
  return { ...head, document, lost: lostTargets(type, id), left, belonging: belongingOf(type) };
}

/** Returns what decides the visibility of content beside its status, as JSON: its access set, nodes or hosts. */
function belongingOf(type: ContentType): SQL<string | null> {
  if (type === 'paragraph') return hostsOf(paragraphs);
  if (type === 'node') return nodeAccessOf(nodes.id);
  const facts = sql<string>`json_array(${mediaSetOf(media.id)}, json(${mediaUseIds(media.id)}), json(${mediaNodesOf(media)}))`;
  return type === 'media' ? nested(facts) : sql`NULL`;
}

/** A row as it was read; `left` and `belonging` are JSON. */
type ContentQueryRow = Omit<ReadRow, 'hosts' | 'belongsTo' | 'useIds' | 'accessSet' | 'accessRule'> & {
  readonly lost: number;
  readonly left: string | null;
  readonly belonging: string | null;
};

function toContent(kind: ContentKind, { lost, left, belonging, ...row }: ContentQueryRow): Content | undefined {
  // As they will be when the references to deleted targets are removed.
  const [version, isDangling] = [row.version + lost, row.isDangling || lost > 0];
  const content = decode(kind, { ...row, version, isDangling, ...factsOf(kind, belonging) });
  if (content === undefined) return undefined;
  return isDangling && left !== null ? withoutDeleted(content, new Set(JSON.parse(left) as string[])) : content;
}

type MediaFacts = [accessSet: number, useIds: number[], nodes: MediaNodesColumn];

function factsOf({ type }: ContentKind, belonging: string | null): Omit<ReadRow, keyof ContentRow> {
  if (belonging === null) return { accessSet: 0 };
  if (type === 'paragraph') return { accessSet: 0, hosts: readHosts(belonging) };
  if (type === 'node') return readNodeAccess(belonging);
  const [accessSet, useIds, nodes] = JSON.parse(belonging) as MediaFacts;
  return { accessSet, useIds, belongsTo: readMediaNodes(nodes) };
}

/** Removes references to deleted entities: the index has the remaining ones. */
function withoutDeleted(content: Content, isLeft: ReadonlySet<string>): Content {
  const keep = (name: string, items: Item[]) => items.filter((_item, delta) => isLeft.has(`${name} ${delta}`));
  const members = membersOf(content);
  const names = referringFields(content.bundle).map(({ name }) => name);
  for (const name of [...names, 'thumbnail']) {
    if (members[name]) members[name] = keep(name, members[name]);
  }
  if (content.kind.type === 'taxonomy_term') {
    const parents = keep('parent', members.parent ?? []);
    members.parent = parents.length > 0 ? parents : [{ target_id: null }];
  }
  return { ...content, document: JSON.stringify(members) };
}
