import type { JsonObject } from '../base/json.ts';
import type { Bundle, EntityType } from '../model/content-model.ts';

/** What the names of bundles begin with where configuration refers to them. */
const BUNDLE_PREFIXES: Readonly<Partial<Record<EntityType, string>>> = {
  node: 'node.type',
  media: 'media.type',
  taxonomy_term: 'taxonomy.vocabulary',
};

/** How configuration refers to a bundle, as `taxonomy.vocabulary.person`; undefined of what has no bundles to choose from. */
export function bundleReference(entityType: EntityType, name: string): string | undefined {
  const prefix = BUNDLE_PREFIXES[entityType];
  return prefix && `${prefix}.${name}`;
}

/** The same of a whole bundle. */
export function referenceTo({ entityType, name }: Bundle): string | undefined {
  return bundleReference(entityType, name);
}

/** What a configuration entity depends on: both lists in order, without gaps or repetitions. The core is no module. */
export function dependencies(config: Iterable<string | undefined>, modules: Iterable<string> = []): JsonObject {
  const inOrder = (names: Iterable<string | undefined>) =>
    [...new Set(names)].filter((name) => name !== undefined).toSorted();
  return { config: inOrder(config), module: inOrder(modules).filter((name) => name !== 'core') };
}
