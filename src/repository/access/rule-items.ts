import { storedRule } from '../../model/access-rules.ts';
import type { Item } from '../../model/content-model.ts';

/** The base field with the access rule of a node. */
export const ACCESS_RULE = 'access_rule';

/** Returns the access rule of a node as the items of its field. */
export function ruleItems({ accessRule }: { readonly accessRule?: string | undefined }): Item[] {
  return accessRule === undefined ? [] : [storedRule(accessRule) as Item];
}
