import type { Violation } from '../../field-types/field-type.ts';
import { NOT_A_CHOICE } from '../../field-types/violation.ts';
import type { ContentModel, FieldDefinition, Item } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';

/**
 * The texts of a formatted field whose format the actor has no permission to use. A text that stands there already in that
 * format may stay: whoever adds an item sends the others back as they are. The fallback format is for everyone.
 */
export function refusedFormats(
  { textFormats, fallbackFormat }: Pick<ContentModel, 'textFormats' | 'fallbackFormat'>,
  actor: Actor,
  { name }: FieldDefinition,
  items: readonly Item[],
  stored: readonly Item[],
): Violation[] {
  return items.flatMap(({ value, format }, delta) => {
    const isOpen = typeof format !== 'string' || !textFormats.has(format) || format === fallbackFormat;
    if (isOpen || actor.may(`use text format ${format}`)) return [];
    const isKept = stored.some((item) => item.format === format && item.value === value);
    return isKept ? [] : { path: `${name}.${delta}.format`, message: NOT_A_CHOICE };
  });
}
