import type { ContentModel, FieldDefinition, RdfCallback } from '../../model/content-model.ts';
import type { ElementTemplate, HarvestFormat } from '../../model/harvest-model.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';

/** A field whose values a format contains. */
export interface MappedField {
  readonly definition: FieldDefinition;
  readonly callback: RdfCallback | undefined;
  /** The elements of a value whose role has none of its own. */
  readonly templates: readonly ElementTemplate[];
}

/**
 * Returns the fields of a node type that a format contains, in the order of the document: fields that the format names, and
 * fields with a predicate that it names.
 */
export function mappedFields(
  { rdf }: ContentModel,
  kind: ContentKind,
  { byField, byPredicate }: HarvestFormat,
  nodeType: string,
): MappedField[] {
  const bundle = kind.bundles.get(nodeType);
  const mapping = rdf.mappings.node.get(nodeType);
  const definitions = [...kind.baseFields.map(({ definition }) => definition), ...(bundle?.fields ?? [])];
  return definitions.flatMap((definition): MappedField[] => {
    const { name } = definition;
    const mapped = mapping?.fields.get(name);
    const templates = byField.get(name) ?? mapped?.predicates.flatMap((each) => byPredicate.get(each) ?? []) ?? [];
    const hasRoles = definition.relationTypes !== undefined && !byField.has(name);
    if (templates.length === 0 && !hasRoles) return [];
    return [{ definition, callback: mapped?.callback, templates }];
  });
}
