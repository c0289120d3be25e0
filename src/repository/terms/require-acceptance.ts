import { unprocessable } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Bundle } from '../../model/content-model.ts';
import type { Content } from '../content/content.ts';
import type { ContentKind, ContentKinds } from '../content/kinds.ts';
import { countReferrers } from '../content/lists/count-content.ts';

/** Throws `unprocessable` if a field that refers to a term does not accept the vocabulary of the one that replaces it. */
export async function requireAcceptance(
  database: Database,
  kinds: ContentKinds,
  from: Content,
  into: Content,
): Promise<void> {
  if (from.bundle.name === into.bundle.name) return;
  for (const { type, field } of await countReferrers(database, 'taxonomy_term', from.head.id)) {
    if (field === 'parent')
      throw unprocessable('The term has terms below it, which cannot be below a term of another vocabulary.');
    const kind = (kinds as Readonly<Partial<Record<string, ContentKind>>>)[type];
    for (const bundle of kind?.bundles.values() ?? [])
      if (!accepts(bundle, field, from.bundle.name, into.bundle.name))
        throw unprocessable(`The field ${field} of ${bundle.label} does not accept terms of ${into.bundle.label}.`);
  }
}

/** Returns true for a field that accepts both vocabularies, or not even the first one. */
function accepts({ fieldNamed }: Bundle, field: string, from: string, into: string): boolean {
  const targetBundles = fieldNamed.get(field)?.targetBundles;
  return targetBundles === undefined || !targetBundles.includes(from) || targetBundles.includes(into);
}
