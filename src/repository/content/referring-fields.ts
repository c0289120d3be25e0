import type { Bundle, EntityType } from '../../model/content-model.ts';
import { entityTarget } from './resolve-references.ts';

/** A field that refers to entities. */
export interface ReferringField {
  readonly name: string;
  readonly type: EntityType;
}

const known = new WeakMap<Bundle, readonly ReferringField[]>();

/** The fields of a bundle that refer to entities, in order: few of many, and asked for with each write. */
export function referringFields(bundle: Bundle): readonly ReferringField[] {
  let found = known.get(bundle);
  if (found === undefined) {
    found = bundle.fields.flatMap((definition) => {
      const type = entityTarget(definition);
      return type === undefined ? [] : { name: definition.name, type };
    });
    known.set(bundle, found);
  }
  return found;
}
