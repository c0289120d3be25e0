import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { nodeAccess } from '../../database/schema/access.ts';
import { nodes } from '../../database/schema/content.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { EffectiveRule } from '../../model/access-rules.ts';
import type { AccessState } from './access-state.ts';

/** The days ahead in which a rule counts as one that ends soon. */
export const SOON_DAYS = 90;
const DAY_MS = 86_400_000;

/** The lists of rules: those that end soon, all with an end, all, and the broken ones. */
export const RULE_LISTS = ['ending', 'embargoes', 'all', 'broken'] as const;
export type RuleList = (typeof RULE_LISTS)[number];

/** A rule that items have themselves. */
export interface UsedRule {
  readonly id: number;
  readonly rule: EffectiveRule;
  /** The number of items with the rule. */
  readonly items: number;
}

/** An item with a rule of its own. */
export interface RuledItem {
  readonly ruleId: number;
  readonly id: number;
  readonly label: string;
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  readonly accessSet: number;
}

const countRules = prepare(() =>
  plain(
    sql`SELECT ${nodeAccess.ruleId}, count(*) FROM ${nodeAccess} WHERE ${nodeAccess.ruleId} IS NOT NULL GROUP BY 1
      UNION ALL SELECT ${nodeAccess.termsRuleId}, count(*) FROM ${nodeAccess}
      WHERE ${nodeAccess.termsRuleId} IS NOT NULL GROUP BY 1`,
    { id: sql<number>`id`, items: sql<number>`items` },
  ),
);

/** Returns the rules of a list that items have, those that end first before the others. */
export async function findUsedRules(database: Database, access: AccessState, list: RuleList): Promise<UsedRule[]> {
  const rows = await database.all(countRules());
  const { today } = access;
  const soon = new Date(Date.parse(`${today}T00:00:00Z`) + SOON_DAYS * DAY_MS).toISOString().slice(0, 10);
  const isListed = (rule: EffectiveRule) => {
    if (list === 'all') return true;
    if (list === 'broken') return rule.problem !== undefined;
    const { level, until } = rule;
    return level !== 'open' && until !== undefined && until > today && (list === 'embargoes' || until <= soon);
  };
  const used = rows.flatMap(({ id, items }) => {
    const rule = access.sets.rule(id);
    return rule !== undefined && isListed(rule) ? [{ id, items, rule }] : [];
  });
  const end = ({ rule: { until } }: UsedRule) => until ?? '\u{10FFFF}';
  return used.sort((one, other) => (end(one) < end(other) ? -1 : end(one) > end(other) ? 1 : one.id - other.id));
}

type Values = { readonly rules: string; readonly limit: number; readonly offset: number };

const COLUMNS = {
  ruleId: sql<number>`rule_id`,
  id: nodes.id,
  label: nodes.label,
  bundle: nodes.bundle,
  ownerId: nodes.ownerId,
  status: nodes.status,
  accessSet: nodeAccess.setId,
};

// Each branch of the union reads one index, or the rows of restricted nodes.
const findItems = prepare(({ rules, limit, offset }: Named<Values>) =>
  plain(
    sql`SELECT list.value AS rule_id, ${nodes.id}, ${nodes.label}, ${nodes.bundle}, ${nodes.ownerId}, ${nodes.status},
        ${nodeAccess.setId}
      FROM (SELECT own.key AS place, own.value, a.nid FROM json_each(${rules}) own
          CROSS JOIN ${nodeAccess} a ON a.rule_id = own.value
        UNION ALL SELECT terms.key, terms.value, a.nid FROM ${nodeAccess} a
          CROSS JOIN json_each(${rules}) terms ON terms.value = a.terms_rule_id WHERE a.terms_rule_id IS NOT NULL) list
      CROSS JOIN ${nodes} ON ${nodes.id} = list.nid CROSS JOIN ${nodeAccess} ON ${nodeAccess.nid} = list.nid
      ORDER BY list.place, list.nid LIMIT ${limit} OFFSET ${offset}`,
    COLUMNS,
  ),
);

/** Returns a page of the items that have the rules themselves, in the order of the rules and then by id. */
export function findRuledItems(
  database: Database,
  rules: readonly number[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<RuledItem[]> {
  return database.all(findItems({ rules: JSON.stringify(rules), limit, offset }));
}
