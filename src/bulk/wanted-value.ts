import type { FieldTypes } from '../field-types/field-type.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import { type Content, open } from '../repository/content/content.ts';
import type { ContentPlan } from '../repository/content/write/decide-content.ts';
import { MEMBER_OF } from '../repository/relations.ts';
import type { BulkChange } from './bulk-action.ts';
import { ItemSkipped } from './item-skipped.ts';
import { changedItems } from './values-change.ts';

/** Returns the stored values of a field. */
export function storedValue(content: Content, field: string): readonly Item[] {
  const { draft, values } = open(content);
  return valueIn({ kind: content.kind, draft, values }, field);
}

/** Returns the values of a field of content that is decided. */
export function valueIn(
  { kind, draft, values }: Pick<ContentPlan, 'kind' | 'draft' | 'values'>,
  field: string,
): readonly Item[] {
  return kind.baseFieldNamed.get(field)?.read(draft) ?? values[field] ?? [];
}

/** The present and the planned values of a field. */
interface FieldState {
  readonly definition: FieldDefinition;
  readonly types: FieldTypes;
  readonly stored: readonly Item[];
  /** The values that the item gets, if its run has them for each item. */
  readonly planned?: readonly Item[] | undefined;
}

/** Returns the values that a field gets by an action. Throws ItemSkipped for an item that stays as it is. */
export function wantedValue(
  { action, parameters }: BulkChange,
  content: Content,
  { definition, types, stored, planned }: FieldState,
): readonly Item[] {
  const { kind, head } = content;
  const { target, replaces, membersOf, change } = parameters;
  switch (action) {
    case 'publish':
      return [{ value: true }];
    case 'unpublish':
      return [{ value: false }];
    case 'collection':
    case 'term': {
      const isItself = definition.targetType === 'node' && kind.type === 'node' && head.id === target;
      if (isItself) throw new ItemSkipped('An item cannot be in itself.');
      const isIn = stored.some(({ target_id }) => target_id === target);
      if (replaces && isIn && stored.length === 1) return stored;
      const added = { target_id: target ?? 0 };
      if (replaces) return [added];
      return isIn ? stored : [...stored, added];
    }
    case 'values':
      if (change === undefined) throw new Error('a change of values has no parameters');
      return changedItems(change, stored, definition, types);
    case 'order':
      if (!storedValue(content, MEMBER_OF).some(({ target_id }) => target_id === membersOf))
        throw new ItemSkipped('It is no longer a member.');
      return planned ?? stored;
    case 'update':
      return planned ?? stored;
    case 'undo':
      if (planned === undefined) throw new ItemSkipped('Its earlier value is no longer known.');
      return planned;
    case 'delete':
    case 'derivatives':
      throw new Error(`${action} changes no field`);
    default:
      return action satisfies never;
  }
}
