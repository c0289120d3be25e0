import type { ItemStructure } from '../../model/item-models.ts';
import type { Call } from '../../web/call.ts';
import type { EditableField } from './arrange-fields.ts';
import type { FormState } from './form-state.ts';
import { NUMBERED } from './resolve-target.ts';

const MODEL_FIELD = 'field_model';

/** Returns the structures of models by the ids of their terms, for a form in which fields do not suit some of them. */
export async function structuresOf(
  { api }: Call,
  fields: readonly EditableField[],
): Promise<Readonly<Record<number, ItemStructure>>> {
  const { model, derivatives } = api.services;
  const hasModel = fields.some(({ definition }) => definition.name === MODEL_FIELD);
  const structures = new Set(hasModel ? fields.flatMap(({ unsuited }) => unsuited) : []);
  const all: Record<number, ItemStructure> = {};
  for (const structure of structures)
    for (const uri of model.models.urisOf(structure)) {
      const term = await derivatives.terms.first(uri);
      if (term !== undefined) all[term.id] = structure;
    }
  return all;
}

/** Returns the structure of the model that is chosen in a form. Undefined for others than those given. */
export function chosenStructure(
  state: FormState,
  structures: Readonly<Record<number, ItemStructure>>,
): ItemStructure | undefined {
  const chosen = state.get(MODEL_FIELD)?.[0]?.texts.target_id ?? '';
  return structures[Number(NUMBERED.exec(chosen)?.[1])];
}

/** Returns true for a field that suits items of a structure. */
export function isSuited({ unsuited }: EditableField, structure: ItemStructure | undefined): boolean {
  return structure === undefined || !unsuited.includes(structure);
}
