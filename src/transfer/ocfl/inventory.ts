import { type Static, Type } from '@sinclair/typebox';
import { INVENTORY_TYPES } from './ocfl-names.ts';

const RFC_3339 = '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$';

const Text = Type.String({ description: 'a text' });
const Paths = Type.Array(Text, { minItems: 1, description: 'a list of paths' });
const PathsByDigest = Type.Record(Type.String(), Paths, { description: 'a map of digests to paths' });

const Version = Type.Object(
  {
    created: Type.String({ pattern: RFC_3339, description: 'a time such as 2026-11-22T10:00:00Z' }),
    state: PathsByDigest,
    message: Type.Optional(Text),
    user: Type.Optional(
      Type.Object(
        { name: Type.String({ minLength: 1, description: 'a name' }), address: Type.Optional(Text) },
        { additionalProperties: false, description: 'a map with name and address' },
      ),
    ),
  },
  { additionalProperties: false, description: 'a map' },
);

/** The schema of an inventory file (OCFL 1.1, 3.5). */
export const InventorySchema = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'the identifier of the object' }),
    type: Type.Union(
      INVENTORY_TYPES.map((type) => Type.Literal(type)),
      { description: INVENTORY_TYPES.join(' or ') },
    ),
    digestAlgorithm: Type.Union([Type.Literal('sha512'), Type.Literal('sha256')], { description: 'sha512 or sha256' }),
    head: Text,
    contentDirectory: Type.Optional(Text),
    manifest: PathsByDigest,
    versions: Type.Record(Type.String(), Version, { description: 'a map of versions' }),
    fixity: Type.Optional(Type.Record(Type.String(), PathsByDigest, { description: 'a map of algorithms' })),
  },
  { additionalProperties: false, description: 'a map' },
);

export type Inventory = Static<typeof InventorySchema>;
export type InventoryVersion = Static<typeof Version>;
