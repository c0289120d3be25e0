import { madeOnce } from '../../base/made-once.ts';
import type { Bundle, EntityType } from '../../model/content-model.ts';
import { entityTarget } from './resolve-references.ts';

/** A field that refers to entities. */
export interface ReferringField {
  readonly name: string;
  readonly type: EntityType;
}

/** The fields of a bundle that refer to entities, in order: few of many, and asked for with each write. */
export const referringFields = madeOnce(({ fields }: Bundle): readonly ReferringField[] =>
  fields.flatMap((definition) => {
    const type = entityTarget(definition);
    return type === undefined ? [] : { name: definition.name, type };
  }),
);
