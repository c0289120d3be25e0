import type { ContentModel } from '../model/content-model.ts';
import type { DerivativeRules } from './rules.ts';

/**
 * Returns the URIs by which the configuration refers to terms: those of the derivative rules and of Signposting, and those
 * of the terms that vocabularies of external URIs start with (models, media use, display).
 */
export function configuredUris(
  { vocabularies, signposting }: Pick<ContentModel, 'vocabularies' | 'signposting'>,
  { actions, contexts }: DerivativeRules,
): ReadonlySet<string> {
  const uris = new Set<string>();
  const add = (list: Iterable<string>) => {
    for (const uri of list) uris.add(uri);
  };
  for (const { sourceTerm, derivativeTerm, ofMembers } of actions.values())
    add([sourceTerm, derivativeTerm, ...(ofMembers?.parentTerms ?? [])]);
  for (const { conditions } of contexts)
    for (const { condition, values } of conditions) if (condition.endsWith('_has_term')) add(values);
  for (const bundles of Object.values(signposting))
    for (const { item } of bundles.values()) if (item !== 'all') add(item);
  for (const { uriField, terms } of vocabularies.values())
    if (uriField === 'field_external_uri') add(terms.flatMap(({ uri }) => uri ?? []));
  return uris;
}
