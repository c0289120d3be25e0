import type { JsonObject } from '../../base/json.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { Bundle, ContentModel, TargetType } from '../../model/content-model.ts';

/** The content model with the types of its fields. */
export interface ConfigSource {
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** The prefixes of bundles in references of configuration. */
const BUNDLE_PREFIXES: Readonly<Partial<Record<TargetType, string>>> = {
  node: 'node.type',
  media: 'media.type',
  taxonomy_term: 'taxonomy.vocabulary',
  paragraph: 'paragraphs.paragraphs_type',
};

/** Returns the reference to a bundle in configuration: `taxonomy.vocabulary.person`. Undefined for types without bundles. */
export function bundleReference(targetType: TargetType, name: string): string | undefined {
  const prefix = BUNDLE_PREFIXES[targetType];
  return prefix && `${prefix}.${name}`;
}

/** Returns the reference to a bundle in configuration. */
export function referenceTo({ entityType, name }: Bundle): string | undefined {
  return bundleReference(entityType, name);
}

/** Returns the dependencies of a configuration entity: both lists sorted and without duplicates. `core` is not a module. */
export function dependencies(config: readonly (string | undefined)[], modules: readonly string[] = []): JsonObject {
  return { config: inOrder(config), module: inOrder(modules) };
}

function inOrder(names: readonly (string | undefined)[]): string[] {
  const distinct = new Set(names);
  distinct.delete(undefined);
  distinct.delete('core');
  return [...(distinct as Set<string>)].sort();
}
