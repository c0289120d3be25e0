import { randomUUIDv5 } from 'bun';
import type { ConfigType } from './content-model.ts';

/** A random constant. A change would change the UUID of every bundle and role. */
const NAMESPACE = '0d3c1ab6-6c0e-4f3e-9a52-6f1d5a1f7c84';

/** Configuration of fields and forms, which has UUIDs too. */
export type FieldConfigType = 'field_config' | 'field_storage_config' | 'entity_form_display';

/** Returns the UUID of a bundle, role or field: the same in every installation (UUID v5, RFC 9562). */
export function configUuid(type: ConfigType | FieldConfigType | 'user', name: string): string {
  return randomUUIDv5(`${type}.${name}`, NAMESPACE);
}
