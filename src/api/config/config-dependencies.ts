import type { JsonObject } from '../../base/json.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { Bundle, ContentModel, TargetType } from '../../model/content-model.ts';

/** The content model with the types of its fields. */
export interface ConfigSource {
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** What the names of bundles begin with where configuration refers to them. */
const BUNDLE_PREFIXES: Readonly<Partial<Record<TargetType, string>>> = {
  node: 'node.type',
  media: 'media.type',
  taxonomy_term: 'taxonomy.vocabulary',
  paragraph: 'paragraphs.paragraphs_type',
};

/** How configuration refers to a bundle, as `taxonomy.vocabulary.person`; undefined of what has no bundles to choose from. */
export function bundleReference(targetType: TargetType, name: string): string | undefined {
  const prefix = BUNDLE_PREFIXES[targetType];
  return prefix && `${prefix}.${name}`;
}

/** The same of a whole bundle. */
export function referenceTo({ entityType, name }: Bundle): string | undefined {
  return bundleReference(entityType, name);
}

/** What a configuration entity depends on: both lists in order, without gaps or repetitions. The core is no module. */
export function dependencies(config: readonly (string | undefined)[], modules: readonly string[] = []): JsonObject {
  return { config: inOrder(config), module: inOrder(modules) };
}

function inOrder(names: readonly (string | undefined)[]): string[] {
  const distinct = new Set(names);
  distinct.delete(undefined);
  distinct.delete('core');
  return [...(distinct as Set<string>)].sort();
}
