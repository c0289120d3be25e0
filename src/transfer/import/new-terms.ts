import { and, eq, exists } from 'drizzle-orm';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { failIf } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { foldLabel } from '../../repository/content/content.ts';
import { asSubmitted } from '../../repository/content/fill/check-values.ts';
import { createContent } from '../../repository/content/write/save-content.ts';
import { busyEntity } from '../../repository/errors.ts';
import type { NewTerm } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';

/** Maximum number of attempts for a term that other processes create and remove meanwhile. */
const MAX_ATTEMPTS = 8;

/** The terms that a table names and that did not exist at its check. */
export interface NewTerms {
  /** Returns the id of a term by its name in any case. Creates it if it does not exist. Throws ServiceError. */
  idOf(term: NewTerm): number | Promise<number>;
  /** The number of created terms. */
  readonly created: number;
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

/** Creates each term once, even if several rows or processes need it at the same time. */
export function createNewTerms({ services, kinds, actor }: LoadContext): NewTerms {
  const making = new Map<string, Promise<number>>();
  /** Planners reuse the object of a term. */
  const known = new WeakMap<NewTerm, number>();
  const kind = kinds.taxonomy_term;
  let created = 0;

  async function findOrMake({ vocabulary, name }: NewTerm): Promise<number> {
    const bundle = kind.bundles.get(vocabulary);
    if (bundle === undefined) throw new Error(`the model has no vocabulary ${vocabulary}`);
    const term = { vocabulary, folded: foldLabel(name) };
    const values = asSubmitted({ kind, bundle }, { name: [{ value: name }] }, services.fields.types);
    for (let attempt = 1; ; attempt++) {
      try {
        const content = await createContent(services, actor, kind, bundle, values, { before: [failIfNamed(term)] });
        created += 1;
        return content.head.id;
      } catch (error) {
        if (failedGuard(error) !== 'guard_taken') throw error;
        // Reads in a write, because a replica may lack the conflicting term.
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
        (existing) => {
          known.set(term, existing);
          return existing;
        },
        (error: unknown) => {
          // A later call tries again.
          making.delete(key);
          throw error;
        },
      );
    },
    get created() {
      return created;
    },
  };
}
