import type { DerivativeRules } from '../../derivatives/rules.ts';
import type { TermUris } from './term-uris.ts';

/** The URIs that actions of enabled contexts name as uses, and that no term stands for: nothing is made by them. */
export async function missingTerms({ actions, contexts }: DerivativeRules, terms: TermUris): Promise<string[]> {
  const taken = new Set(contexts.filter(({ isEnabled }) => isEnabled).flatMap((context) => context.actions));
  const uris = new Set(
    [...actions.values()]
      .filter(({ name }) => taken.has(name))
      .flatMap(({ sourceTerm, derivativeTerm }) => [sourceTerm, derivativeTerm]),
  );
  const missing: string[] = [];
  for (const uri of uris) if ((await terms.first(uri)) === undefined) missing.push(uri);
  return missing;
}
