import { ACCESS_RULE } from '../../repository/access/rule-items.ts';
import type { Content } from '../../repository/content/content.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { findNamed } from '../../repository/content/lists/complete-target.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { type Call, parseId } from '../../web/call.ts';
import { rightsInWords } from './access-words.ts';

/** Returns the note of a form on the rules that an item has from the collections above it, by field. */
export async function accessNotes(
  call: Call,
  kind: ContentKind,
  content: Content | undefined,
): Promise<ReadonlyMap<string, string>> {
  const { api, actor, request } = call;
  const { access, database } = api.services;
  if (kind.type !== 'node' || access.sets.isEmpty) return new Map();
  const sources =
    content === undefined
      ? new URL(request.url).searchParams.getAll(MEMBER_OF).flatMap((id) => parseId(id) ?? [])
      : access.sets.sourcesOf(content.head.accessSet);
  const collections = await findNamed(database, 'node', sources);
  const notes = collections.flatMap((collection) => {
    const rights = access.rightsOf(collection.accessSet);
    if (rights === undefined) return [];
    const isVisible = kind.access.view(actor, collection).isAllowed;
    const name = isVisible ? `Its collection “${collection.label}”` : 'A collection that you may not see';
    return [`${name} is ${rightsInWords(rights)}: without a rule of its own, this item is, too.`];
  });
  return notes.length === 0 ? new Map() : new Map([[ACCESS_RULE, notes.join(' ')]]);
}
