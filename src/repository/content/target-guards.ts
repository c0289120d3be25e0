import type { InStatement } from '@libsql/client';
import type { Targets } from './targets.ts';

/** What can be referred to, each type with the table of its name. */
const TARGET_TABLES = ['node', 'media', 'taxonomy_term', 'paragraph', 'file', 'user'] as const;

/**
 * What is referred to by rows that are to be written, and the statements that let a transaction fail where any of that is
 * not there any more at the moment of the commit, or a term not at the version that its name was taken from.
 */
export class TargetGuards {
  /** By type, as members of a JSON object: to take apart a list of lists costs the database four times as much. */
  readonly #expected = new Map<string, Set<string>>();

  /** `targets` is what the references of the row were resolved to. */
  add(type: string, id: number, targets: Targets | undefined): void {
    const version = type === 'taxonomy_term' ? (targets?.get(type, id)?.version ?? null) : null;
    const entry = `"${id}":${version}`;
    const ofType = this.#expected.get(type);
    // Two rows may know a term at two versions: then one of them has to be looked at again.
    if (ofType) ofType.add(entry);
    else this.#expected.set(type, new Set([entry]));
  }

  statements(): InStatement[] {
    return TARGET_TABLES.flatMap((target): InStatement[] => {
      const ofType = this.#expected.get(target);
      if (ofType === undefined) return [];
      const isSame = target === 'taxonomy_term' ? 'AND (j.value IS NULL OR t.version = j.value)' : '';
      return [
        {
          sql: `INSERT INTO guard (missing) SELECT 1 FROM json_each(?) j
            WHERE NOT EXISTS (SELECT 1 FROM ${target} t WHERE t.id = CAST(j.key AS INTEGER) ${isSame})`,
          args: [`{${[...ofType].join()}}`],
        },
      ];
    });
  }
}
