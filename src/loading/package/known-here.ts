import { ENTITY_TYPES, type EntityType } from '../../model/content-model.ts';
import type { Services } from '../../repository/services.ts';
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

const COLUMNS: Readonly<Record<EntityType, string>> = {
  node: 'id, uuid, bundle, NULL FROM node',
  media: 'id, uuid, bundle, NULL FROM media',
  taxonomy_term: 'id, uuid, bundle, NULL FROM taxonomy_term',
  paragraph: 'id, uuid, bundle, NULL FROM paragraph',
  file: "id, uuid, '', sha256 FROM file",
  user: "id, uuid, '', NULL FROM user",
};

/** What the repository has of these UUIDs, whatever it is. */
export async function findKnown({ database }: Services, uuids: Iterable<string>): Promise<Known[]> {
  const list = JSON.stringify([...new Set(uuids)]);
  const results = await database.read(
    ENTITY_TYPES.map((type) => ({
      sql: `SELECT ${COLUMNS[type]} WHERE uuid IN (SELECT value FROM json_each(?))`,
      args: [list],
    })),
  );
  return results.flatMap(({ rows }, index) =>
    (rows as unknown as [number, string, string, string | null][]).map(([id, uuid, bundle, sha256]) => ({
      type: ENTITY_TYPES[index] as EntityType,
      id,
      uuid,
      bundle,
      sha256: sha256 ?? undefined,
    })),
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
