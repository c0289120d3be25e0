import type { Bundle } from '../../model/content-model.ts';
import { denied } from '../../repository/access-rule.ts';
import type { Call } from '../../web/call.ts';

/** Returns the vocabularies in which the caller may create or change terms. */
export function managedVocabularies({ api, actor }: Call): Bundle[] {
  const { access, bundles } = api.kinds.taxonomy_term;
  const facts = { ownerId: 0, status: true };
  return [...bundles.values()].filter(
    ({ name }) => access.create(actor, name).isAllowed || access.update(actor, { ...facts, bundle: name }).isAllowed,
  );
}

/** Returns the vocabulary of the path. Throws 404, or 401 or 403 if the caller may not manage it. */
export function managedVocabulary(call: Call): Bundle {
  const bundle = call.api.kinds.taxonomy_term.bundles.get(call.params.taxonomy_vocabulary ?? '');
  if (bundle === undefined) throw call.notFound('taxonomy_vocabulary');
  const isManaged = managedVocabularies(call).includes(bundle);
  call.allow(isManaged ? { isAllowed: true } : denied(`You may not change terms in ${bundle.name}.`));
  return bundle;
}
