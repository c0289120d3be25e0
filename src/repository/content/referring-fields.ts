import { madeOnce } from '../../base/made-once.ts';
import { type Bundle, ENTITY_TYPES, type EntityType, type FieldDefinition } from '../../model/content-model.ts';

interface ReferringField {
  readonly name: string;
  readonly type: EntityType;
}

const ENTITIES: ReadonlySet<string> = new Set(ENTITY_TYPES);

/** Returns the type of entity that a field refers to; undefined for references to configuration and others. */
export function entityTarget({ targetType }: FieldDefinition): EntityType | undefined {
  return targetType !== undefined && ENTITIES.has(targetType) ? (targetType as EntityType) : undefined;
}

/** The fields of a bundle that refer to entities, in order; cached, since each write needs them. */
export const referringFields = madeOnce(({ fields }: Bundle): readonly ReferringField[] =>
  fields.flatMap((definition) => {
    const type = entityTarget(definition);
    return type === undefined ? [] : { name: definition.name, type };
  }),
);
