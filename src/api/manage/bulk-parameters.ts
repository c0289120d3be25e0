import { type BulkParameters, FIELD_OF } from '../../bulk/bulk-action.ts';
import { open } from '../../repository/content/content.ts';
import { findTermsByName } from '../../repository/content/lists.ts';
import type { BulkSelection, BulkTyped } from '../../representation/manage/bulk-data.ts';
import type { Choice, FormProblem, ManagedList } from '../../representation/manage/content-list-data.ts';
import { type Call, parseId } from '../call.ts';

/** Returns the fields of terms of a kind, by label. */
export function termFields({ api }: Call, kind: ManagedList): Choice[] {
  const found = new Map<string, string>();
  for (const { fields } of api.kinds[kind].bundles.values())
    for (const { name, label, type, targetType } of fields)
      if (type === 'entity_reference' && targetType === 'taxonomy_term') found.set(name, label);
  return [...found]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** Returns the parameters of a confirmed action, or the problems of its form. */
export async function readParameters(
  call: Call,
  { kind, action }: BulkSelection,
  typed: BulkTyped,
): Promise<BulkParameters | readonly FormProblem[]> {
  const field = FIELD_OF[action];
  switch (action) {
    case 'collection': {
      const collection = await findCollection(call, typed.collection ?? '');
      if (typeof collection === 'string') return [{ field: 'collection', message: collection }];
      return { field, ...collection, replaces: typed.mode !== 'add' };
    }
    case 'term':
      return readTerm(call, kind, typed);
    case 'delete':
      return kind === 'node' ? { withMedia: typed.with_media === '1' } : {};
    default:
      return { field };
  }
}

async function findCollection({ api, actor }: Call, text: string) {
  if (text === '') return 'Choose a collection.';
  const id = parseId(text);
  const node = id === undefined ? undefined : await api.findContent('node', id);
  if (node === undefined || !node.kind.access.view(actor, node.head).isAllowed)
    return 'Enter the number of a collection that exists.';
  return { target: node.head.id, targetLabel: open(node).draft.label };
}

async function readTerm(
  call: Call,
  kind: ManagedList,
  { field = '', term = '' }: BulkTyped,
): Promise<BulkParameters | readonly FormProblem[]> {
  const { services, kinds } = call.api;
  const known = termFields(call, kind).find(({ value }) => value === field);
  const name = term.trim();
  const problems = [
    ...(known === undefined ? [{ field: 'field', message: 'Choose a field.' }] : []),
    ...(name === '' ? [{ field: 'term', message: 'Enter the name of a term.' }] : []),
  ];
  if (problems.length > 0 || known === undefined) return problems;
  const vocabularies = new Set(
    [...kinds[kind].bundles.values()].flatMap(({ fieldNamed }) => fieldNamed.get(field)?.targetBundles ?? []),
  );
  const found = await Promise.all(
    [...vocabularies].map((vocabulary) => findTermsByName(services, kinds.taxonomy_term, vocabulary, name)),
  );
  const [first, ...others] = found.flat();
  if (first === undefined)
    return [{ field: 'term', message: `No term for ${known.label} has the name “${name.slice(0, 100)}”.` }];
  if (others.length > 0)
    return [
      { field: 'term', message: `${others.length + 1} terms for ${known.label} have this name. Rename one first.` },
    ];
  return { field, target: first.head.id, targetLabel: open(first).draft.label };
}
