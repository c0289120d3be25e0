import { and, eq, exists, sql } from 'drizzle-orm';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { terms } from '../database/schema/content.ts';
import { failIf } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Vocabulary } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import { foldLabel } from '../repository/content/content.ts';
import type { ContentKind } from '../repository/content/kinds.ts';
import { termsOfName } from '../repository/content/lists/complete-target.ts';
import type { Services } from '../repository/content/services.ts';
import { createContent } from '../repository/content/write/save-content.ts';

/** Terms of one name that are looked at: hidden ones may precede a published one. */
const MAX_SAME = 100;

const failIfKnown = prepare(({ vocabulary, folded }: Named<{ readonly vocabulary: string; readonly folded: string }>) =>
  failIf(
    'taken',
    exists(
      query
        .select({ one: sql`1` })
        .from(terms)
        .where(and(eq(terms.bundle, vocabulary), eq(terms.foldedLabel, folded), eq(terms.status, true))),
    ),
  ),
);

/** The term of a name. */
interface NamedTerm {
  readonly id: number;
  readonly label: string;
  readonly isNew: boolean;
}

/**
 * Creates the term of a name in a vocabulary. Returns the published term that has the name already, in any case, if there is
 * one: of several callers at the same moment, one creates it. Throws as `createContent` does.
 */
export async function createTermOnce(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  vocabulary: Vocabulary,
  name: string,
): Promise<NamedTerm> {
  const known = async (): Promise<NamedTerm | undefined> => {
    const same = await termsOfName(services.database, [vocabulary.name], name, MAX_SAME);
    const term = same.find(({ status }) => status);
    return term && { id: term.id, label: term.label, isNew: false };
  };
  const term = await known();
  if (term !== undefined) return term;
  const before = [failIfKnown({ vocabulary: vocabulary.name, folded: foldLabel(name) })];
  try {
    const values = new Map([['name', [{ value: name }]]]);
    const { head } = await createContent(services, actor, kind, vocabulary, values, { before });
    return { id: head.id, label: name, isNew: true };
  } catch (error) {
    if (failedGuard(error) !== 'guard_taken') throw error;
    services.database.refresh();
    const made = await known();
    if (made === undefined) throw error;
    return made;
  }
}
