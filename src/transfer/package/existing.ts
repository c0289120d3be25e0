import { query } from '../../database/query-builder.ts';
import { contentTables } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { ENTITY_TYPES, type EntityType } from '../../model/content-model.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { Services } from '../../repository/content/services.ts';
import type { IncompleteNodes } from './incomplete.ts';

/** An entity of the repository. */
export interface ExistingEntity {
  readonly type: EntityType;
  readonly id: number;
  readonly uuid: string;
  /** Empty for files and users. */
  readonly bundle: string;
  /** Undefined except for files. */
  readonly sha256: string | undefined;
}

type ExistingRow = { readonly id: number; readonly uuid: string; readonly bundle?: string; readonly sha256?: string };
type Uuids = { readonly uuids: string };

const findContent = (type: ContentType) =>
  prepare(({ uuids }: Named<Uuids>) => {
    const { id, uuid, bundle } = contentTables[type];
    return query.select({ id, uuid, bundle }).from(contentTables[type]).where(isAmong(uuid, uuids));
  });
const FIND: Record<EntityType, (wanted: Uuids) => Statement<ExistingRow[]>> = {
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
export async function findKnown({ database }: Services, wanted: Iterable<string>): Promise<ExistingEntity[]> {
  const uuids = JSON.stringify([...new Set(wanted)]);
  const batch: Record<string, Statement<ExistingRow[]>> = {};
  for (const type of ENTITY_TYPES) batch[type] = FIND[type]({ uuids });
  const rows = await database.read(batch);
  return ENTITY_TYPES.flatMap((type) =>
    (rows[type] ?? []).map(({ id, uuid, bundle = '', sha256 }) => ({ type, id, uuid, bundle, sha256 })),
  );
}

/** The entities of the repository by the UUIDs of a package. */
export class ExistingEntities {
  readonly #known = new Map<string, ExistingEntity>();
  /** By the UUID of a paragraph and the id of a revision in the package. */
  readonly #revisions = new Map<string, number>();
  /** The highest id of a term at the time of the search. */
  termsUntil = 0;
  /** Nodes that were created without some references. */
  incomplete: IncompleteNodes = { all: new Set(), unchanged: new Set() };

  constructor(known: Iterable<ExistingEntity>) {
    for (const each of known) this.set(each.uuid, each);
  }

  /** Sets the entity for a UUID of the package. The UUID in the repository may differ, as for terms. */
  set(uuid: string, known: ExistingEntity): void {
    this.#known.set(`${known.type} ${uuid}`, known);
  }

  get(type: EntityType, uuid: string): ExistingEntity | undefined {
    return this.#known.get(`${type} ${uuid}`);
  }

  setRevision(uuid: string, packed: unknown, existing: number): void {
    this.#revisions.set(`${uuid} ${packed}`, existing);
  }

  /** Returns the id of a revision of a paragraph by its id in the package; undefined if it is unknown. */
  revision(uuid: string, packed: unknown): number | undefined {
    return this.#revisions.get(`${uuid} ${packed}`);
  }

  /** Returns an entity of another type with this UUID. */
  foreign(type: EntityType, uuid: string): ExistingEntity | undefined {
    for (const other of ENTITY_TYPES) {
      const known = other === type ? undefined : this.get(other, uuid);
      if (known) return known;
    }
    return undefined;
  }
}
