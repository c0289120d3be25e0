import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { media, mediaLacksText, mediaUses, nodes } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { mediaAccess, nodeAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import { preparePerActor, type ViewerValues, viewerValues, visibleRows } from '../content/visible-rows.ts';
import { isNodeOf, isParentOf } from '../relations.ts';

/** The entries of the accessibility report: pictures without alternative text, recordings without captions, items without language. */
export type AccessibilityProblem = 'text' | 'captions' | 'language';

/** The part of a list. */
interface ProblemRange {
  /** Content with a higher id only. */
  readonly after: number;
  readonly limit: number;
  /** Content of a collection only: its members, or their media. */
  readonly collection: number | undefined;
  /** The ids of the uses of derivatives, whose pictures have the text of their source. */
  readonly derivativeUses: readonly number[];
}

/** The number of entries of a list. */
interface ProblemCount {
  /** At most `MAX_COUNTED`. */
  readonly count: number;
  readonly hasMore: boolean;
}

/** Counting ends here. */
const MAX_COUNTED = 10_000;

const MEDIA_KIND = { type: 'media', access: mediaAccess } as const;
const NODE_KIND = { type: 'node', access: nodeAccess } as const;

type Values = Readonly<Record<'after' | 'limit' | 'collection', number>> & { readonly uses: string } & ViewerValues;

const [held, member, host] = [alias(references, 'held'), alias(references, 'member'), alias(references, 'host')];

/** Returns the bundles of media with a source of these kinds. */
const bundlesWith = (model: ContentModel, ...sources: readonly string[]) =>
  [...model.mediaTypes.values()].filter(({ source }) => sources.includes(source));

const names = (bundles: readonly { readonly name: string }[]): SQL =>
  bundles.length === 0
    ? sql`NULL`
    : sql.join(
        bundles.map(({ name }) => literal(name)),
        sql`, `,
      );

/** The condition for a node in a collection; any node for collection 0. */
const isMember = (id: SQL, collection: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${references} ${member}
    WHERE ${isParentOf(member, id)} AND +${member.targetId} = ${collection})`;

const isOfMember = (collection: SQL): SQL =>
  sql`(${collection} = 0 OR EXISTS (SELECT 1 FROM ${references} ${host}
    WHERE ${isNodeOf(host, media.id)} AND ${isMember(sql`${host.targetId}`, collection)}))`;

/** The columns of `node_record` that visibility depends on. */
const RECORD_COLUMNS = {
  id: nodeRecords.nid,
  status: nodeRecords.status,
  ownerId: nodeRecords.ownerId,
  bundle: nodeRecords.bundle,
};

/** Returns the media that lack a text and are no derivatives, as FROM and WHERE: the index of such media has what it needs. */
function mediaOf(actor: Actor, bundles: SQL, values: Named<Values>, more: SQL): SQL {
  const { after, uses, collection } = values;
  return sql`${media} INDEXED BY media_without_text
    WHERE ${mediaLacksText(media)} AND ${media.bundle} IN (${bundles})
      AND coalesce(${mediaUses(media.linked)}, '') NOT IN (SELECT value FROM json_each(${uses}))
      AND ${media.id} > ${after} AND ${isOfMember(collection)} AND ${more}
      AND ${visibleRows(MEDIA_KIND, actor, media, values)}`;
}

function sourceOf(
  model: ContentModel,
  actor: Actor,
  kind: AccessibilityProblem,
  values: Named<Values>,
): { id: SQL; rows: SQL } {
  switch (kind) {
    case 'text':
      return {
        id: sql`${media.id}`,
        rows: mediaOf(actor, names(bundlesWith(model, 'image')), values, sql`TRUE`),
      };
    case 'captions': {
      const bundles = bundlesWith(model, 'audio_file', 'video_file').filter(({ fields }) =>
        fields.some(({ type }) => type === 'media_track'),
      );
      const tracks = new Set(bundles.flatMap(({ fields }) => fields.filter(({ type }) => type === 'media_track')));
      const hasNoTrack = sql`NOT EXISTS (SELECT 1 FROM ${references} ${held} WHERE ${held.sourceType} = 'media'
        AND ${held.sourceId} = ${media.id} AND ${held.field} IN (${names([...tracks])}))`;
      return { id: sql`${media.id}`, rows: mediaOf(actor, names(bundles), values, hasNoTrack) };
    }
    case 'language': {
      const bundles = [...model.nodeTypes.values()].filter(({ fieldNamed }) => fieldNamed.has('field_language'));
      const { after, collection } = values;
      return {
        id: sql`${nodeRecords.nid}`,
        rows: sql`${nodeRecords} WHERE ${nodeRecords.isDeleted} = 0 AND ${nodeRecords.bundle} IN (${names(bundles)})
          AND ${nodeRecords.nid} > ${after}
          AND NOT EXISTS (SELECT 1 FROM ${references} ${held} WHERE ${held.sourceType} = 'node'
            AND ${held.sourceId} = ${nodeRecords.nid} AND ${held.field} = 'field_language')
          AND (${collection} = 0 OR ${isMember(sql`${nodeRecords.nid}`, sql`${collection}`)})
          AND ${visibleRows(NODE_KIND, actor, RECORD_COLUMNS, values)}`,
      };
    }
    default:
      return kind satisfies never;
  }
}

const queriesOf = madeOnce((model: ContentModel) =>
  preparePerActor([NODE_KIND, MEDIA_KIND], (actor: Actor) => {
    const of = (kind: AccessibilityProblem) => ({
      ids: prepare((values: Named<Values>) => {
        const { id, rows } = sourceOf(model, actor, kind, values);
        return plain(sql`SELECT ${id} FROM ${rows} ORDER BY ${id} LIMIT ${values.limit}`, { id: nodes.id });
      }),
      count: prepare((values: Named<Values>) => {
        const { rows } = sourceOf(model, actor, kind, values);
        const counted = sql`SELECT 1 FROM ${rows} LIMIT ${values.limit}`;
        return plain(sql`SELECT count(*) FROM (${counted})`, { count: sql<number>`count` });
      }),
    });
    return { text: of('text'), captions: of('captions'), language: of('language') };
  }),
);

interface ProblemServices {
  readonly database: Database;
  readonly model: ContentModel;
}

function valuesOf(actor: Actor, { after, limit, collection, derivativeUses }: ProblemRange): Values {
  return {
    ...{ after, limit, ...viewerValues(actor), collection: collection ?? 0 },
    uses: JSON.stringify(derivativeUses.map(String)),
  };
}

/** Returns the ids of content that lacks something and that the actor may view, in their order. */
export async function findAccessibilityProblems(
  { database, model }: ProblemServices,
  actor: Actor,
  kind: AccessibilityProblem,
  range: ProblemRange,
): Promise<number[]> {
  const rows = await database.all(queriesOf(model)(actor)[kind].ids(valuesOf(actor, range)));
  return rows.map(({ id }) => id);
}

/** Counts content that lacks something and that the actor may view, each kind up to `MAX_COUNTED`. */
export async function countAccessibilityProblems(
  { database, model }: ProblemServices,
  actor: Actor,
  range: Pick<ProblemRange, 'collection' | 'derivativeUses'>,
): Promise<Readonly<Record<AccessibilityProblem, ProblemCount>>> {
  const queries = queriesOf(model)(actor);
  const values = valuesOf(actor, { ...range, after: 0, limit: MAX_COUNTED + 1 });
  const counts = await database.read({
    text: queries.text.count(values),
    captions: queries.captions.count(values),
    language: queries.language.count(values),
  });
  const of = (kind: AccessibilityProblem): ProblemCount => {
    const count = counts[kind][0]?.count ?? 0;
    return { count: Math.min(count, MAX_COUNTED), hasMore: count > MAX_COUNTED };
  };
  return { text: of('text'), captions: of('captions'), language: of('language') };
}
