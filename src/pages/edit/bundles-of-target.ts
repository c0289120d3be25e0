import type { FieldDefinition } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { Call } from '../../web/call.ts';

/** Returns the bundles to which a reference may point. */
export function bundlesOf({ api }: Call, { targetType, targetBundles }: FieldDefinition): readonly string[] {
  return targetBundles ?? [...(api.kinds[targetType as LinkedType]?.bundles.keys() ?? [])];
}
