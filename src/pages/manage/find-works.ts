import type { FieldDefinition } from '../../model/content-model.ts';
import { pathOf } from '../../paths.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import type { ListChoices } from './content-list-data.ts';

const MODEL_FIELD = 'field_model';

/**
 * Returns the value of the filter for works: items with a model that is no page, and items of types without models. Undefined if the
 * models are too many to know, or if an item may have none.
 */
export async function findWorks({ api }: Call, { terms }: ListChoices): Promise<string | undefined> {
  const { model, derivatives } = api.services;
  const types = [...model.nodeTypes.values()];
  const isOptional = types.some(({ fieldNamed }) => fieldNamed.get(MODEL_FIELD)?.required === false);
  if (terms === undefined || isOptional) return undefined;
  const models: number[] = [];
  for (const { value } of terms) {
    const uris = await derivatives.terms.of([Number(value)]);
    if (!model.models.hasStructure(uris, 'page')) models.push(Number(value));
  }
  const without = types.filter(({ fieldNamed }) => !fieldNamed.has(MODEL_FIELD)).map(({ name }) => name);
  return JSON.stringify({ models, types: without });
}

/** Returns the field by which items are members of others, of the first type that has it. */
export function memberField({ services }: Pick<ApiServices, 'services'>): FieldDefinition | undefined {
  return typeWithMembers(services.model.nodeTypes.values())?.fieldNamed.get(MEMBER_OF);
}

/** Returns the address of completions for an item with members. */
export function memberCompletions({ services }: Pick<ApiServices, 'services'>): string | undefined {
  const type = typeWithMembers(services.model.nodeTypes.values());
  return type && pathOf('completions', { entity_type: 'node', bundle: type.name, field_name: MEMBER_OF });
}

function typeWithMembers(
  types: Iterable<{ readonly name: string; readonly fieldNamed: ReadonlyMap<string, FieldDefinition> }>,
) {
  return [...types].find(({ fieldNamed }) => fieldNamed.has(MEMBER_OF));
}
