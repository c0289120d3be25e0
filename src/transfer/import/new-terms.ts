import { and, eq, exists } from 'drizzle-orm';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { failIf } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { asSubmitted } from '../../repository/content/check-values.ts';
import { foldLabel } from '../../repository/content/content-rows.ts';
import { createContent } from '../../repository/content/save-content.ts';
import { busyEntity } from '../../repository/errors.ts';
import type { NewTerm } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';

/** How often a term is looked for and made that comes and goes meanwhile. */
const MAX_ATTEMPTS = 8;

/** Terms that a table names and that there were not when it was checked. */
export interface NewTerms {
  /** The id of a term of that name, whatever its case: one that is there by now, or a new one. Throws ServiceError. */
  idOf(term: NewTerm): number | Promise<number>;
  /** How many were made. */
  readonly made: number;
}

type TermName = { readonly vocabulary: string; readonly folded: string };

const termsNamed = ({ vocabulary, folded }: Named<TermName>) =>
  query
    .select({ id: terms.id })
    .from(terms)
    .where(and(eq(terms.bundle, vocabulary), eq(terms.foldedLabel, folded), eq(terms.status, true)))
    .orderBy(terms.id)
    .limit(1);
const findNamed = prepare(termsNamed);
const failIfNamed = prepare((term: Named<TermName>) => failIf('taken', exists(termsNamed(term))));

/** Makes each term once: those who look for the same name at the same time, in other processes too, get the same one. */
export function createNewTerms({ services, kinds, actor }: LoadContext): NewTerms {
  const making = new Map<string, Promise<number>>();
  /** Planners name the same term by the same object, again and again. */
  const known = new WeakMap<NewTerm, number>();
  const kind = kinds.taxonomy_term;
  let made = 0;

  async function findOrMake({ vocabulary, name }: NewTerm): Promise<number> {
    const bundle = kind.bundles.get(vocabulary);
    if (bundle === undefined) throw new Error(`the model has no vocabulary ${vocabulary}`);
    const term = { vocabulary, folded: foldLabel(name) };
    const values = asSubmitted({ kind, bundle }, { name: [{ value: name }] }, services.fields.types);
    for (let attempt = 1; ; attempt++) {
      try {
        const created = await createContent(services, actor, kind, bundle, values, { before: [failIfNamed(term)] });
        made += 1;
        return created.head.id;
      } catch (error) {
        if (failedGuard(error) !== 'guard_taken') throw error;
        // As a write: a replica may not know yet of what was in the way.
        const { named } = await services.database.write({ named: findNamed(term) });
        if (named[0]) return named[0].id;
        if (attempt === MAX_ATTEMPTS) throw busyEntity(error);
      }
    }
  }

  return {
    idOf(term) {
      const id = known.get(term);
      if (id !== undefined) return id;
      const key = `${term.vocabulary} ${foldLabel(term.name)}`;
      const finding = making.get(key) ?? findOrMake(term);
      making.set(key, finding);
      return finding.then(
        (found) => {
          known.set(term, found);
          return found;
        },
        (error: unknown) => {
          // Whoever asks again later may have better luck.
          making.delete(key);
          throw error;
        },
      );
    },
    get made() {
      return made;
    },
  };
}
