import type { ParsedContent } from './content.ts';
import type { Neighbour } from './surroundings.ts';

/** What an item refers to, before anything but that is known of it. */
export interface Named {
  readonly field: string;
  readonly type: Neighbour['type'];
  readonly id: number;
}

/** Every item of a reference to content, in the order of the fields; of a term what stands above it, too. */
export function namedIn({ kind, bundle, members }: ParsedContent): Named[] {
  const named: Named[] = [];
  for (const { name, targetType } of bundle.fields) {
    if (targetType !== 'taxonomy_term' && targetType !== 'node' && targetType !== 'media') continue;
    for (const { target_id } of members[name] ?? [])
      if (typeof target_id === 'number') named.push({ field: name, type: targetType, id: target_id });
  }
  if (kind.type === 'taxonomy_term')
    for (const { target_id } of members.parent ?? [])
      if (typeof target_id === 'number') named.push({ field: 'parent', type: 'taxonomy_term', id: target_id });
  return named;
}
