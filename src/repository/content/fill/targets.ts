import { sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { media, nodes, paragraphs, terms } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { users } from '../../../database/schema/users.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../../database/statement.ts';
import { ENTITY_TYPES, type EntityType } from '../../../model/content-model.ts';
import { accessSetOf, mediaSetOf } from '../../access/set-columns.ts';
import type { HostFacts, MediaNodes } from '../../access-rule.ts';
import type { Actor } from '../../actor.ts';
import { alternativeNames } from '../../alternative-names.ts';
import { type NewFile, recognizedTypeOf } from '../../files/file-rows.ts';
import { storedInOf } from '../../files/scheme.ts';
import { mediaNodesOf, mediaUseIds, readMediaNodes, readUseIds } from '../media-nodes.ts';
import { heightOf, hostsOf, readHosts } from '../read/paragraph-hosts.ts';

/** The target of a reference. */
export interface Target {
  readonly type: EntityType;
  readonly id: number;
  readonly uuid: string;
  /** Empty for files and users. */
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  /** Terms only. */
  readonly label?: string | undefined;
  /** Terms only: their other names, one in each line. */
  readonly otherNames?: string | undefined;
  /** Undefined for users: no reference depends on their changes. */
  readonly version: number | undefined;
  /** Files only. */
  readonly file: TargetFile | undefined;
  /** Paragraphs only. */
  readonly paragraph?: TargetParagraph;
  /** As in `ContentFacts`; the last two for media only. */
  readonly accessSet: number;
  readonly useIds?: readonly number[];
  readonly belongsTo?: MediaNodes;
}

interface TargetParagraph {
  readonly revisionId: number;
  /** As in `ContentFacts`. */
  readonly hosts: readonly HostFacts[];
  /** The number of levels of paragraphs in it, itself included. */
  readonly height: number;
}

export interface TargetFile {
  readonly uri: string;
  readonly filename: string;
  readonly filemime: string;
  /** As in the row (`files/file-type.ts`). */
  readonly recognizedType: string | null;
  readonly filesize: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly storageKey: string;
  /** As in the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

/** Returns a new file as a target. */
export function targetOfNew(actor: Actor, { id, uuid, uri, filename, filemime, ownerId, ingested }: NewFile): Target {
  const { staged, store, size } = ingested;
  return {
    type: 'file',
    id,
    uuid,
    bundle: '',
    ownerId: ownerId ?? actor.id,
    status: true,
    accessSet: 0,
    version: 1,
    file: {
      uri,
      filename,
      filemime,
      recognizedType: recognizedTypeOf(filemime, ingested),
      filesize: staged.bytes,
      width: size?.width ?? null,
      height: size?.height ?? null,
      storageKey: staged.key,
      storedIn: storedInOf(uri, store.name),
    },
  };
}

/** The ids and UUIDs of targets to find, by type. */
export type TargetQuery = Map<EntityType, { ids: Set<number>; uuids: Set<string> }>;

/** Found targets, by id and by UUID. */
export class Targets {
  readonly #byId = new Map<EntityType, Map<number, Target>>();
  /** Created on demand: most references are by id. */
  readonly #byUuid = new Map<EntityType, Map<string, Target>>();

  add(target: Target): void {
    const ofType = this.#byId.get(target.type);
    if (ofType) ofType.set(target.id, target);
    else this.#byId.set(target.type, new Map([[target.id, target]]));
    this.#byUuid.delete(target.type);
  }

  get(type: EntityType, idOrUuid: number | string): Target | undefined {
    if (typeof idOrUuid === 'number') return this.#byId.get(type)?.get(idOrUuid);
    let ofType = this.#byUuid.get(type);
    if (ofType === undefined) {
      ofType = new Map();
      for (const target of this.#byId.get(type)?.values() ?? []) ofType.set(target.uuid, target);
      this.#byUuid.set(type, ofType);
    }
    return ofType.get(idOrUuid);
  }
}

const commonOf = <Table extends typeof nodes | typeof media | typeof terms | typeof paragraphs>(table: Table) => {
  const { id, uuid, bundle, ownerId, status, version } = table;
  return { id, uuid, bundle, ownerId, status, version };
};

const { id, uuid, ownerId, status, version } = files;
const { uri, filename, filemime, recognizedType, filesize, width, height, storageKey, storedIn } = files;

/** Prepares the queries for targets of each type by a JSON list of ids or of UUIDs. */
const findersBy = (column: 'id' | 'uuid'): Record<EntityType, (wanted: TargetList) => Statement<TargetRow[]>> => ({
  node: prepare(({ list }: Named<TargetList>) =>
    query
      .select({ ...commonOf(nodes), accessSet: accessSetOf(nodes.id) })
      .from(nodes)
      .where(isAmong(nodes[column], list)),
  ),
  media: prepare(({ list }: Named<TargetList>) =>
    query
      .select({
        ...commonOf(media),
        accessSet: mediaSetOf(media.id),
        useIds: mediaUseIds(media.id),
        belongsTo: mediaNodesOf(media),
      })
      .from(media)
      .where(isAmong(media[column], list)),
  ),
  taxonomy_term: prepare(({ list }: Named<TargetList>) =>
    query
      .select({ ...commonOf(terms), label: terms.label, otherNames: alternativeNames(terms.document) })
      .from(terms)
      .where(isAmong(terms[column], list)),
  ),
  paragraph: prepare(({ list }: Named<TargetList>) => {
    const { revisionId } = paragraphs;
    const facts = { revisionId, hosts: hostsOf(paragraphs), depth: heightOf(paragraphs) };
    return query
      .select({ ...commonOf(paragraphs), ...facts })
      .from(paragraphs)
      .where(isAmong(paragraphs[column], list));
  }),
  file: prepare(({ list }: Named<TargetList>) =>
    query
      .select({
        ...{ id, uuid, bundle: sql<string>`''`, ownerId, status, version },
        ...{ uri, filename, filemime, recognizedType, filesize, width, height, storageKey, storedIn },
      })
      .from(files)
      .where(isAmong(files[column], list)),
  ),
  user: prepare(({ list }: Named<TargetList>) => {
    const bundle = sql<string>`''`;
    return query
      .select({ id: users.id, uuid: users.uuid, bundle, ownerId: users.id, status: users.status })
      .from(users)
      .where(isAmong(users[column], list));
  }),
});

const FIND = { ids: findersBy('id'), uuids: findersBy('uuid') };

type TargetList = { readonly list: string };

type TargetRow = Pick<Target, 'id' | 'uuid' | 'bundle' | 'ownerId' | 'status'> & {
  readonly version?: number;
  readonly label?: string;
  readonly otherNames?: string | null;
  readonly accessSet?: number;
  readonly useIds?: string;
  readonly belongsTo?: string;
  readonly revisionId?: number | null;
  readonly hosts?: string;
  readonly depth?: number;
} & (Partial<Record<keyof TargetFile, undefined>> | TargetFile);

/** Terms that need not be read (`term-cache.ts`). */
interface KnownTerms {
  get(id: number): Target | undefined;
  set(term: Target): void;
}

/** Finds all targets of a write in one round trip. Cached terms need none. */
export async function findTargets(database: Database, wanted: TargetQuery, terms?: KnownTerms): Promise<Targets> {
  const targets = new Targets();
  const asked: Record<string, Statement<TargetRow[]>> = {};
  for (const [type, { ids, uuids }] of wanted) {
    if (type === 'taxonomy_term' && terms) {
      for (const id of ids) {
        const known = terms.get(id);
        if (known === undefined) continue;
        targets.add(known);
        ids.delete(id);
      }
    }
    if (ids.size > 0) asked[`${type} ids`] = FIND.ids[type]({ list: JSON.stringify([...ids]) });
    if (uuids.size > 0) asked[`${type} uuids`] = FIND.uuids[type]({ list: JSON.stringify([...uuids]) });
  }
  if (Object.keys(asked).length === 0) return targets;
  const rows = await database.read(asked);
  for (const type of ENTITY_TYPES)
    for (const row of [...(rows[`${type} ids`] ?? []), ...(rows[`${type} uuids`] ?? [])]) {
      const target = toTarget(type, row);
      targets.add(target);
      if (type === 'taxonomy_term') terms?.set(target);
    }
  return targets;
}

function toTarget(type: EntityType, row: TargetRow): Target {
  const { id, uuid, bundle, ownerId, status, version, label, otherNames, belongsTo, revisionId, hosts, depth } = row;
  const { accessSet = 0, useIds } = row;
  const { uri, filename, filemime, recognizedType, filesize, width, height, storageKey, storedIn } = row;
  const file = { uri, filename, filemime, recognizedType, filesize, width, height, storageKey, storedIn };
  return {
    ...{ type, id, uuid, bundle, ownerId, status, version, label, accessSet },
    ...(useIds !== undefined && { useIds: readUseIds(useIds) }),
    ...(typeof otherNames === 'string' && { otherNames }),
    file: uri === undefined ? undefined : (file as TargetFile),
    ...(belongsTo !== undefined && { belongsTo: readMediaNodes(belongsTo) }),
    ...(hosts !== undefined && {
      paragraph: { revisionId: Number(revisionId), hosts: readHosts(hosts), height: Number(depth) },
    }),
  };
}
