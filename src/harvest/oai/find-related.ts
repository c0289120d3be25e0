import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import { media, terms } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { isAmong, literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath } from '../../paths.ts';
import { mediaSetOf } from '../../repository/access/set-columns.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import { mediaUseIds, readUseIds } from '../../repository/content/media-nodes.ts';
import { isMediaOf } from '../../repository/relations.ts';
import { type AgentIdentifier, agentIdentifier } from './agent-identifiers.ts';
import type { RecordServices } from './harvest-services.ts';

type Ids = { readonly ids: string };

/** A file of a node that is no derivative. */
export interface RecordFile {
  readonly mimeType: string;
  /** The path of its bytes. */
  readonly path: string;
}

const { thumbnail, service, fits, tiles, extractedText, hocr } = MEDIA_USE_URI;
const DERIVATIVES = [thumbnail, service, fits, tiles, extractedText, hocr].map(literal);
const [use, source] = [alias(references, 'u'), alias(references, 's')];

const filesOf = madeOnce(({ mediaTypes }: ContentModel) => {
  const fields = [...new Set(Array.from(mediaTypes.values(), ({ sourceField }) => sourceField.name))].map(literal);
  return prepare(({ ids }: Named<Ids>) =>
    plain(
      sql`SELECT ${references.targetId}, ${media.bundle}, ${media.ownerId}, ${media.status},
          ${mediaSetOf(media.id)}, ${mediaUseIds(media.id)}, ${files.filemime}, ${files.uri}
        FROM ${references} CROSS JOIN ${media} ON ${media.id} = ${references.sourceId}
        CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id}
          AND ${source.targetType} = 'file' AND ${source.field} IN (${sql.join(fields, sql`, `)}) AND ${source.delta} = 0
        CROSS JOIN ${files} ON ${files.id} = ${source.targetId}
        WHERE ${isMediaOf(references)} AND ${isAmong(references.targetId, ids)} AND NOT EXISTS (
          SELECT 1 FROM ${references} ${use} JOIN ${termUris} ON ${termUris.termId} = ${use.targetId}
          WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id} AND ${use.field} = 'field_media_use'
            AND ${use.targetType} = 'taxonomy_term' AND ${termUris.uri} IN (${sql.join(DERIVATIVES, sql`, `)}))
        ORDER BY ${references.weight}, ${media.id}`,
      {
        ...{ nodeId: references.targetId, bundle: media.bundle, ownerId: media.ownerId, status: media.status },
        ...{ accessSet: sql<number>`access_set`, uses: sql<string>`uses`, mimeType: files.filemime, uri: files.uri },
      },
    ),
  );
});

/** Finds the files of nodes that the viewer may read, without derivatives, by node. */
export async function findRecordFiles(
  { database, model, kinds, viewer }: RecordServices,
  contents: readonly ParsedContent[],
): Promise<ReadonlyMap<number, readonly RecordFile[]>> {
  const heads = new Map(contents.map(({ head }) => [head.id, head]));
  if (heads.size === 0) return new Map();
  const rows = await database.all(filesOf(model)({ ids: JSON.stringify([...heads.keys()]) }));
  const visible = rows.filter(({ nodeId, uses, ...row }) => {
    const node = heads.get(nodeId);
    if (node === undefined) return false;
    const facts = { ...row, useIds: readUseIds(uses), belongsTo: { nodes: [node], hasLostNode: false } };
    return kinds.media.access.view(viewer, facts).isAllowed;
  });
  const found = Map.groupBy(visible, ({ nodeId }) => nodeId);
  return new Map(
    Array.from(found, ([id, each]) => [id, each.map(({ mimeType, uri }) => ({ mimeType, path: filePath(uri) }))]),
  );
}

/** The facts of an agent in a record, beside its name. */
export interface AgentFacts {
  readonly identifier: AgentIdentifier | undefined;
  /** The first organization that it belongs to, by `field_relationships`. */
  readonly affiliation: { readonly name: string; readonly identifier: AgentIdentifier | undefined } | undefined;
}

const findUris = prepare(({ ids }: Named<Ids>) =>
  plain(
    sql`SELECT ${termUris.termId}, ${termUris.uri} FROM ${termUris}
      WHERE ${isAmong(termUris.termId, ids)} AND ${termUris.field} = 'field_authority_link'
      ORDER BY ${termUris.termId}, ${termUris.delta}`,
    { id: termUris.termId, uri: termUris.uri },
  ),
);
const organization = alias(terms, 'organization');
const findAffiliations = prepare(({ ids }: Named<Ids>) =>
  plain(
    sql`SELECT ${terms.id}, ${organization.id}, ${organization.label}, ${organization.bundle}, ${organization.ownerId},
        ${organization.status}
      FROM ${terms} CROSS JOIN json_each(${terms.document}, '$.field_relationships') related
      CROSS JOIN ${terms} ${organization} ON ${organization.id} = json_extract(related.value, '$.target_id')
      WHERE ${isAmong(terms.id, ids)} AND ${organization.bundle} = 'corporate_body'
        AND json_extract(related.value, '$.rel_type') IN ('schema:worksFor', 'schema:memberOf', 'schema:affiliation')
      ORDER BY ${terms.id}, related.key`,
    {
      ...{ agent: terms.id, id: organization.id, label: organization.label, bundle: organization.bundle },
      ...{ ownerId: organization.ownerId, status: organization.status },
    },
  ),
);

/** Finds the facts about agents, by the id of their term. */
export async function findAgentFacts(
  { database, kinds, viewer }: RecordServices,
  agents: readonly number[],
): Promise<ReadonlyMap<number, AgentFacts>> {
  if (agents.length === 0) return new Map();
  const all = await database.all(findAffiliations({ ids: JSON.stringify(agents) }));
  const affiliations = all.filter((row) => kinds.taxonomy_term.access.view(viewer, row).isAllowed);
  const ids = [...new Set([...agents, ...affiliations.map(({ id }) => id)])];
  const uris = Map.groupBy(await database.all(findUris({ ids: JSON.stringify(ids) })), ({ id }) => id);
  const identifierOf = (id: number) => agentIdentifier((uris.get(id) ?? []).map(({ uri }) => uri));
  return new Map(
    agents.map((agent) => {
      const own = affiliations.find((each) => each.agent === agent);
      const affiliation = own && { name: own.label, identifier: identifierOf(own.id) };
      return [agent, { identifier: identifierOf(agent), affiliation }];
    }),
  );
}
