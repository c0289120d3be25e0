import { ServiceError } from '../../base/errors.ts';
import { completeItems } from '../../fields/complete-items.ts';
import { parseItems } from '../../fields/parse-items.ts';
import type { Bundle, FieldDefinition, FieldValues, Item } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { SubmittedValues } from './check-values.ts';
import { resolveReferences, type Submitted } from './resolve-references.ts';

/** The defaults of the configured fields that were not sent, as if the actor had sent them. */
export async function defaultValues(
  services: Services,
  actor: Actor,
  bundle: Bundle,
  submitted: SubmittedValues,
): Promise<FieldValues> {
  const values: FieldValues = {};
  for (const definition of bundle.fields) {
    if (definition.defaultValue.length === 0 || submitted.has(definition.name)) continue;
    const items = parseItems([...definition.defaultValue], definition);
    const whole = definition.targetType === undefined ? items : await referable(services, actor, definition, items);
    if (whole.length > 0) values[definition.name] = completeItems(whole, definition, services.fields);
  }
  return values;
}

/**
 * References as they are kept, without those to what is not there any more, or not for this actor: whoever did not send
 * them must not be told of them, let alone be kept from writing.
 */
async function referable(
  services: Services,
  actor: Actor,
  definition: FieldDefinition,
  items: readonly Item[],
): Promise<Item[]> {
  const kept: Item[] = [];
  for (const item of items) {
    const field: Submitted = { definition, items: [item], stored: [] };
    try {
      const { violations } = await resolveReferences(services, actor, [field]);
      if (violations.size === 0) kept.push(...field.items);
    } catch (error) {
      // A UUID that stands for nothing.
      if (!(error instanceof ServiceError && error.kind === 'unprocessable')) throw error;
    }
  }
  return kept;
}
