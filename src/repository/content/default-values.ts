import type { FieldTypes } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import { completeItems } from '../../field-types/validate-field.ts';
import type { Bundle, FieldValues, Item } from '../../model/content-model.ts';
import type { SubmittedValues } from './check-values.ts';
import { entityTarget } from './referring-fields.ts';
import { reference, resolveConfig, type Submitted, takesBundle, wantedBy } from './resolve-references.ts';
import type { Services } from './services.ts';
import { findTargets, type Targets } from './targets.ts';

/**
 * The defaults of the configured fields that were not sent, read as if they had been. References are those of the model,
 * whoever writes: they lack what is not there any more, but nothing that this actor may not see.
 */
export async function defaultValues(
  services: Services,
  bundle: Bundle,
  submitted: SubmittedValues,
): Promise<FieldValues> {
  const fields = bundle.fields
    .filter(({ name, defaultValue }) => defaultValue.length > 0 && !submitted.has(name))
    .map((definition): Submitted => {
      return {
        definition,
        items: parseItems([...definition.defaultValue], definition, services.fields.types),
        stored: [],
      };
    });
  const referring = fields.filter(({ definition }) => entityTarget(definition) !== undefined);
  for (const field of fields) resolveConfig(services.model, field, new Map());
  if (referring.length > 0) {
    const targets = await findTargets(services.database, wantedBy(referring), services.terms);
    for (const field of referring) field.items = referencesTo(targets, field, services.fields.types);
  }
  const values: FieldValues = {};
  for (const { definition, items } of fields)
    if (items.length > 0) values[definition.name] = completeItems(items, definition, services.fields);
  return values;
}

/** The references of a field to what there is. */
function referencesTo(targets: Targets, { definition, items }: Submitted, types: FieldTypes): Item[] {
  return items.flatMap((item) => {
    const { target_id, target_uuid } = item;
    const named = typeof target_uuid === 'string' ? target_uuid.toLowerCase() : Number(target_id);
    const target = targets.get(entityTarget(definition) ?? 'node', named);
    const isFitting = target !== undefined && takesBundle(definition.targetBundles, target);
    return isFitting ? [reference(types.of(definition), item, target)] : [];
  });
}
