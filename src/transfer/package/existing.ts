import { query } from '../../database/query-builder.ts';
import { contentTables } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { ENTITY_TYPES, type EntityType } from '../../model/content-model.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Incomplete } from './incomplete.ts';

/** Something that the repository has already. */
export interface Known {
  readonly type: EntityType;
  readonly id: number;
  readonly uuid: string;
  /** Empty for files and users. */
  readonly bundle: string;
  /** Of files. */
  readonly sha256: string | undefined;
}

type KnownRow = { readonly id: number; readonly uuid: string; readonly bundle?: string; readonly sha256?: string };
type Uuids = { readonly uuids: string };

const findContent = (type: ContentType) =>
  prepare(({ uuids }: Named<Uuids>) => {
    const { id, uuid, bundle } = contentTables[type];
    return query.select({ id, uuid, bundle }).from(contentTables[type]).where(isAmong(uuid, uuids));
  });
const FIND: Record<EntityType, (wanted: Uuids) => Statement<KnownRow[]>> = {
  node: findContent('node'),
  media: findContent('media'),
  taxonomy_term: findContent('taxonomy_term'),
  paragraph: findContent('paragraph'),
  file: prepare(({ uuids }: Named<Uuids>) =>
    query
      .select({ id: files.id, uuid: files.uuid, sha256: files.sha256 })
      .from(files)
      .where(isAmong(files.uuid, uuids)),
  ),
  user: prepare(({ uuids }: Named<Uuids>) =>
    query.select({ id: users.id, uuid: users.uuid }).from(users).where(isAmong(users.uuid, uuids)),
  ),
};

/** Returns the entities of any type that have these UUIDs. */
export async function findKnown({ database }: Services, wanted: Iterable<string>): Promise<Known[]> {
  const uuids = JSON.stringify([...new Set(wanted)]);
  const batch: Record<string, Statement<KnownRow[]>> = {};
  for (const type of ENTITY_TYPES) batch[type] = FIND[type]({ uuids });
  const found = await database.read(batch);
  return ENTITY_TYPES.flatMap((type) =>
    (found[type] ?? []).map(({ id, uuid, bundle = '', sha256 }) => ({ type, id, uuid, bundle, sha256 })),
  );
}

/** What the UUIDs of a package stand for in this repository. */
export class Here {
  readonly #known = new Map<string, Known>();
  /** By the UUID of a paragraph and the id of a revision in the package. */
  readonly #revisions = new Map<string, number>();
  /** The highest id that a term had when terms were looked for. */
  termsUntil = 0;
  /** Nodes that lack references which were still to come. */
  incomplete: Incomplete = { all: new Set(), unchanged: new Set() };

  constructor(known: Iterable<Known>) {
    for (const each of known) this.set(each.uuid, each);
  }

  /** `uuid` is that of the package: a term may have another one here. */
  set(uuid: string, known: Known): void {
    this.#known.set(`${known.type} ${uuid}`, known);
  }

  get(type: EntityType, uuid: string): Known | undefined {
    return this.#known.get(`${type} ${uuid}`);
  }

  setRevision(uuid: string, packed: unknown, here: number): void {
    this.#revisions.set(`${uuid} ${packed}`, here);
  }

  /** What a revision of a paragraph in the package is here; undefined for one that is not known. */
  revision(uuid: string, packed: unknown): number | undefined {
    return this.#revisions.get(`${uuid} ${packed}`);
  }

  /** What has this UUID and is of another type. */
  foreign(type: EntityType, uuid: string): Known | undefined {
    for (const other of ENTITY_TYPES) {
      const known = other === type ? undefined : this.get(other, uuid);
      if (known) return known;
    }
    return undefined;
  }
}
