import { type EntityChoice, findCollectionChoices, findTermChoices } from '../../repository/lists/list-choices.ts';
import type { Call } from '../../web/call.ts';
import type { Choice, ListChoices, ManagedList } from './content-list-data.ts';

/** Returns what the filters of a list offer. */
export async function findChoices({ api, actor }: Call, list: ManagedList): Promise<ListChoices> {
  const { database } = api.services;
  const { bundles } = api.kinds[list];
  const field = list === 'node' ? 'field_model' : 'field_media_use';
  const vocabularies = [...bundles.values()].flatMap(({ fieldNamed }) => fieldNamed.get(field)?.targetBundles ?? []);
  const [terms, collections] = await Promise.all([
    findTermChoices(database, [...new Set(vocabularies)]),
    findCollectionChoices(api.services, actor),
  ]);
  return {
    types: [...bundles.values()].map(({ name, label }) => ({ value: name, label })),
    terms: terms?.map(toChoice),
    collections: collections?.map(toChoice),
  };
}

/** Returns an entity as a value of a form. */
export function toChoice({ id, label }: EntityChoice): Choice {
  return { value: String(id), label };
}
