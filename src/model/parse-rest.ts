import type { AuthenticationType, MethodAccess, ResourceAccess } from './content-model.ts';
import { MethodSchema, ResourceSchema } from './model-schema.ts';
import type { Reading } from './reading.ts';

/**
 * Reads the authentication types of each REST resource (spec: repository, "Authentication"). `known` are the
 * resources that the repository has: an entry for another one would never be looked at.
 */
export function parseRest(
  reading: Reading,
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Map<string, ResourceAccess> {
  const rest = new Map<string, ResourceAccess>();
  for (const [resource, methods] of Object.entries(value)) {
    const path = ['rest', resource];
    if (!known.includes(resource)) reading.reportUnknown(path, 'REST resource', resource, known);
    const access: Record<string, MethodAccess> = {};
    for (const [method, formats] of Object.entries(reading.checkedMap(ResourceSchema, methods, path))) {
      const byFormat = reading.checkedMap(MethodSchema, formats, [...path, method]);
      access[method] = byFormat as Record<string, AuthenticationType[]>;
    }
    rest.set(resource, access);
  }
  return rest;
}
