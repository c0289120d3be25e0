import { hash } from 'bun';
import type { FieldDefinition } from './content-model.ts';

/**
 * A 32-bit number for what the stored values of a bundle depend on: the names of its fields, their types
 * and targets, and their order. Labels, limits and defaults may change without touching what is stored.
 */
export function bundleLayout(fields: readonly FieldDefinition[]): number {
  return hash.xxHash32(fields.map(({ name, type, targetType }) => `${name}:${type}:${targetType ?? ''}`).join('\n'));
}
