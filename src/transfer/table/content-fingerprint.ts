import { madeOnce } from '../../base/made-once.ts';
import type { Item } from '../../model/content-model.ts';
import { ACCESS_RULE, ruleItems } from '../../repository/access/rule-items.ts';
import { type Content, membersOf } from '../../repository/content/content.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';

/** Members of items that responses compute. */
const COMPUTED: ReadonlySet<string> = new Set(['target_type', 'target_uuid', 'url', 'processed', 'pid']);
const CHARACTERS = 12;

/** The base fields that people set. */
const settable = madeOnce(
  ({ baseFields }: ContentKind) =>
    new Set(
      baseFields
        .filter(({ write, isForEditors }) => write !== undefined && !isForEditors)
        .map(({ definition }) => definition.name),
    ),
);

/**
 * Returns a short text that stays the same while all values of content stay the same, in any revision: `r`
 * and hexadecimal digits, which no spreadsheet takes for a number.
 */
export function contentFingerprint(content: Content): string {
  const base = settable(content.kind);
  const values = Object.entries(membersOf(content))
    .filter(([name, items]) => items.length > 0 && (base.has(name) || content.bundle.fieldNamed.has(name)))
    .map(([name, items]) => [name, items.map(withoutComputed)]);
  // Outside the document, but a table of changes must not undo a rule that was set since.
  if (content.head.accessRule !== undefined) values.push([ACCESS_RULE, ruleItems(content.head)]);
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(values)).digest('hex');
  return `r${digest.slice(0, CHARACTERS)}`;
}

function withoutComputed(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !COMPUTED.has(name)));
}
