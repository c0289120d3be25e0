import type { Item } from '../../model/content-model.ts';

/** The field with the access terms of content. */
export const ACCESS_TERMS = 'field_access_terms';

/**
 * Returns the text of the rule of access terms: it closes content to those who hold none of them. What it closes is in the terms.
 * Null without terms.
 */
export function termsRuleText(items: readonly Item[] = []): string | null {
  const ids = new Set(items.flatMap(({ target_id }) => (typeof target_id === 'number' ? [target_id] : [])));
  return ids.size === 0 ? null : JSON.stringify({ access_terms: [...ids].sort((one, other) => one - other) });
}
