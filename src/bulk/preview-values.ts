import { setImmediate } from 'node:timers/promises';
import { isEqualValue } from '../field-types/equal-items.ts';
import { parseItems } from '../field-types/parse-items.ts';
import type { Item } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import { type Content, open } from '../repository/content/content.ts';
import { definitionOf } from '../repository/content/kinds.ts';
import { findAllContent } from '../repository/content/read/find-content.ts';
import { decideChange } from '../repository/content/write/decide-content.ts';
import type { BulkChange } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { failureOf, requireChangeable } from './item-failure.ts';
import { ItemSkipped } from './item-skipped.ts';
import { storedValue, valueIn, wantedValue } from './wanted-value.ts';

/** An item as a change of values would leave it, or the reason why it would stay as it is. */
export interface PreviewedItem {
  readonly id: number;
  readonly label: string;
  readonly before: readonly Item[];
  /** Undefined for an item that stays as it is. */
  readonly after: readonly Item[] | undefined;
  readonly reason: string | null;
}

/** The first changes of a change of values. */
export interface ValuesPreview {
  /** The first items that would change, and those that cannot. */
  readonly items: readonly PreviewedItem[];
  /** The number of items that were examined, from the first one. */
  readonly examined: number;
  /** The number of these that have the wanted values. */
  readonly unchanged: number;
}

/** The number of items that a preview shows. */
export const MAX_PREVIEWED = 50;
/** The number of items that are examined at most for a preview: a text may be rare. */
const MAX_EXAMINED = 5_000;
/** The number of items that are read at once. */
const GROUP = 100;

/** Computes the first changes of a change of values, with all checks of the change itself. Writes nothing. */
export async function previewValues(
  { services, kinds }: Pick<BulkParts, 'services' | 'kinds'>,
  actor: Actor,
  change: BulkChange & { readonly parameters: { readonly field: string } },
  ids: readonly number[],
): Promise<ValuesPreview> {
  const items: PreviewedItem[] = [];
  let [examined, unchanged] = [0, 0];
  const examinable = ids.slice(0, MAX_EXAMINED);
  for (let start = 0; start < examinable.length && items.length < MAX_PREVIEWED; start += GROUP) {
    const group = examinable.slice(start, start + GROUP);
    const contents = new Map(
      (await findAllContent(services.database, kinds[change.type], group)).map((each) => [each.head.id, each]),
    );
    for (const id of group) {
      if (items.length >= MAX_PREVIEWED) break;
      examined += 1;
      const content = contents.get(id);
      // It was deleted since it was selected, or its row is damaged.
      if (content === undefined || !content.kind.access.view(actor, content.head).isAllowed) continue;
      const item = await preview(content);
      if (item === undefined) unchanged += 1;
      else items.push(item);
    }
    await setImmediate();
  }
  return { items, examined, unchanged };

  /** Returns undefined for content with the wanted values. */
  async function preview(content: Content): Promise<PreviewedItem | undefined> {
    const { field } = change.parameters;
    const { types } = services.fields;
    const before = storedValue(content, field);
    const own = { id: content.head.id, label: open(content).draft.label, before };
    try {
      const definition = definitionOf(content, field);
      if (definition === undefined) throw new ItemSkipped('Items of its type have no such field.');
      requireChangeable(actor, change.action, content);
      const wanted = wantedValue(change, content, { definition, types, stored: before });
      if (isEqualValue(wanted, before, definition, types)) return undefined;
      const submitted = new Map([[field, parseItems([...wanted], definition, types)]]);
      const decided = await decideChange(services, actor, content, submitted);
      return decided && { ...own, after: valueIn(decided, field), reason: null };
    } catch (error) {
      const report = (cause: unknown) => services.warn('a preview of a bulk change failed for an item', cause);
      return { ...own, after: undefined, reason: failureOf(error, report).reason };
    }
  }
}
