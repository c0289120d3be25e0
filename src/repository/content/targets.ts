import type { InStatement } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import type { EntityType } from '../../model/content-model.ts';
import type { HostFacts, MediaNodes } from '../access-rule.ts';
import { mediaNodesOf, readMediaNodes } from './media-nodes.ts';
import { heightOf, hostsOf, readHosts } from './paragraph-hosts.ts';
import type { TermMemory } from './term-memory.ts';

/** What is known of something that is referred to. */
export interface Target {
  readonly type: EntityType;
  readonly id: number;
  readonly uuid: string;
  /** Empty for files and users. */
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  /** Undefined for users, of whom nothing can change that a reference depends on. */
  readonly version: number | undefined;
  /** Of files only. */
  readonly file: TargetFile | undefined;
  /** Of paragraphs only. */
  readonly paragraph?: TargetParagraph;
  /** For media only, as in `ContentFacts`. */
  readonly belongsTo?: MediaNodes;
}

export interface TargetParagraph {
  readonly revisionId: number;
  /** As of `ContentFacts`. */
  readonly hosts: readonly HostFacts[];
  /** How many paragraphs stand within each other in it, itself included. */
  readonly height: number;
}

export interface TargetFile {
  readonly uri: string;
  readonly filename: string;
  readonly filemime: string;
  readonly filesize: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly storageKey: string;
  /** As of the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

/** What to look for: ids and UUIDs, per type. */
export type Wanted = Map<EntityType, { ids: Set<number>; uuids: Set<string> }>;

/** What was found, by id and by UUID. */
export class Targets {
  readonly #byId = new Map<EntityType, Map<number, Target>>();
  /** Made when somebody asks for one: most references are by id. */
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

const COLUMNS: Record<EntityType, string> = {
  node: 'id, uuid, bundle, owner_id, status, version FROM node',
  media: `id, uuid, bundle, owner_id, status, version, ${mediaNodesOf('media')} FROM media`,
  taxonomy_term: 'id, uuid, bundle, owner_id, status, version FROM taxonomy_term',
  paragraph: `id, uuid, bundle, owner_id, status, version, revision_id, ${hostsOf('paragraph')},
    ${heightOf('paragraph')} FROM paragraph`,
  file: `id, uuid, '', owner_id, status, version, uri, filename, filemime, filesize, width, height, storage_key, stored_in
    FROM file`,
  user: "id, uuid, '', id, status, NULL FROM user",
};

/** Looks up everything that a write refers to, in one round trip or, of terms that are remembered, none. */
export async function findTargets(database: Database, wanted: Wanted, terms?: TermMemory): Promise<Targets> {
  const targets = new Targets();
  const asked: [EntityType, InStatement][] = [];
  for (const [type, { ids, uuids }] of wanted) {
    const select = `SELECT ${COLUMNS[type]} WHERE`;
    if (type === 'taxonomy_term' && terms) {
      for (const id of ids) {
        const known = terms.get(id);
        if (known === undefined) continue;
        targets.add(known);
        ids.delete(id);
      }
    }
    if (ids.size > 0)
      asked.push([type, { sql: `${select} id IN (SELECT value FROM json_each(?))`, args: [JSON.stringify([...ids])] }]);
    if (uuids.size > 0)
      asked.push([
        type,
        { sql: `${select} uuid IN (SELECT value FROM json_each(?))`, args: [JSON.stringify([...uuids])] },
      ]);
  }
  if (asked.length === 0) return targets;
  const results = await database.read(asked.map(([, statement]) => statement));
  for (const [index, { rows }] of results.entries()) {
    const type = (asked[index] as [EntityType, InStatement])[0];
    for (const row of rows) {
      const target = toTarget(type, row as unknown as Row);
      targets.add(target);
      if (type === 'taxonomy_term') terms?.remember(target);
    }
  }
  return targets;
}

type CommonColumns = [number, string, string, number, number, number | null];
type Row =
  | [...CommonColumns, ...FileColumns]
  | [...CommonColumns, ...ParagraphColumns]
  | [...CommonColumns, nodes: string]
  | CommonColumns;
type ParagraphColumns = [revisionId: number, hosts: string, height: number];
type FileColumns = [string, string, string, number, number | null, number | null, string, string | null];

function toTarget(type: EntityType, row: Row): Target {
  const [id, uuid, bundle, ownerId, status, version] = row;
  const common = { type, id, uuid, bundle, ownerId, status: status === 1, version: version ?? undefined };
  if (row.length === 6) return { ...common, file: undefined };
  if (row.length === 7) return { ...common, file: undefined, belongsTo: readMediaNodes(row[6]) };
  if (row.length === 9) {
    const [revisionId, hosts, height] = row.slice(6) as ParagraphColumns;
    return { ...common, file: undefined, paragraph: { revisionId, hosts: readHosts(hosts), height } };
  }
  const [uri, filename, filemime, filesize, width, height, storageKey, storedIn] = row.slice(6) as FileColumns;
  return { ...common, file: { uri, filename, filemime, filesize, width, height, storageKey, storedIn } };
}
