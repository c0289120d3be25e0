import { type BulkParameters, FIELD_OF } from '../../bulk/bulk-action.ts';
import { open } from '../../repository/content/content.ts';
import { type Call, parseId } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { BulkFormValues, BulkSelection } from './bulk-data.ts';
import { readTerm } from './bulk-term.ts';

/** Returns the parameters of a confirmed action, or the problems of its form. */
export async function readParameters(
  call: Call,
  { kind, action }: BulkSelection,
  typed: BulkFormValues,
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
