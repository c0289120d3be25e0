import { isNull, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { nodeAccess } from '../../database/schema/access.ts';
import { accessNotices } from '../../database/schema/asking.ts';
import { nodes } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { entityPath, paths } from '../../paths.ts';
import type { Work } from '../../runs/keep-working.ts';
import type { BaseServices } from '../base-services.ts';
import { mailIn } from './contact-mail.ts';

/** The interval at which a server looks for rules that end soon, in milliseconds. */
const LOOK_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The number of items of one step, and of one mail. */
const MAX_ITEMS = 100;

const itemsOfRules = prepare(({ rules, limit }: Named<{ rules: string; limit: number }>) =>
  query
    .select({ nodeId: nodes.id, title: nodes.label, ruleId: sql<number>`${nodeAccess.ruleId}` })
    .from(nodeAccess)
    .innerJoin(nodes, sql`${nodes.id} = ${nodeAccess.nid}`)
    .leftJoin(
      accessNotices,
      sql`${accessNotices.nodeId} = ${nodeAccess.nid} AND ${accessNotices.ruleId} = ${nodeAccess.ruleId}`,
    )
    .where(sql`${isAmong(nodeAccess.ruleId, rules)} AND ${isNull(accessNotices.sent)}`)
    .orderBy(nodes.id)
    .limit(limit),
);
const claim = prepare(({ nodeId, ruleId, now }: Named<{ nodeId: number; ruleId: number; now: number }>) =>
  query.insert(accessNotices).values({ nodeId, ruleId, sent: now }).onConflictDoNothing(),
);
const release = prepare(({ nodeId, ruleId }: Named<{ nodeId: number; ruleId: number }>) =>
  query.delete(accessNotices).where(sql`${accessNotices.nodeId} = ${nodeId} AND ${accessNotices.ruleId} = ${ruleId}`),
);

interface NoticeParts {
  readonly services: Pick<BaseServices, 'database' | 'access' | 'now'>;
  /** The mail server, and the address of the site. */
  readonly mail: {
    readonly mailer: {
      send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<boolean>;
    };
    readonly baseUrl: string;
  };
  /** Returns the name of the site, which may change. */
  readonly siteName: () => string;
  /** The number of days before the end of a rule. */
  readonly days: number;
}

type EndingItem = Readonly<Record<'title' | 'until' | 'to', string>> & Readonly<Record<'nodeId' | 'ruleId', number>>;

/**
 * The task that mails the contacts of rules which end within some days: one mail for each contact, and each item and rule once. A
 * mail that the server does not take is sent again at the next look.
 */
export function createNoticeTask(parts: NoticeParts): Work {
  return {
    failure: 'the contacts of rules that end soon could not be told',
    lookMs: LOOK_MS,
    async step() {
      await parts.services.access.refresh();
      const items = await claimItems(parts);
      for (const [to, group] of Map.groupBy(items, (item) => item.to)) {
        if (await parts.mail.mailer.send(noticeOf(parts, to, group))) continue;
        await parts.services.database.write(group.map(({ nodeId, ruleId }) => release({ nodeId, ruleId })));
        throw new Error('the mail server did not take a mail');
      }
      return items.length === MAX_ITEMS;
    },
  };
}

/** Claims items whose rules end soon, and returns those that no other process has claimed. */
async function claimItems({ services, days }: NoticeParts): Promise<EndingItem[]> {
  const { access, database, now } = services;
  const { today } = access;
  const limit = new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, today.length);
  const ending = new Map(
    access.sets.endingRules(today, limit).flatMap(({ id, until, contact }) => {
      const to = mailIn(contact);
      return to === undefined ? [] : [[id, { until, to }] as const];
    }),
  );
  if (ending.size === 0) return [];
  const rows = await database.all(itemsOfRules({ rules: JSON.stringify([...ending.keys()]), limit: MAX_ITEMS }));
  if (rows.length === 0) return [];
  const at = now();
  const { claims } = await database.write({
    claims: rows.map(({ nodeId, ruleId }) => claim({ nodeId, ruleId, now: at })),
  });
  return rows.flatMap((row, index) => {
    const rule = ending.get(row.ruleId);
    return rule === undefined || claims[index]?.changes !== 1 ? [] : [{ ...row, ...rule }];
  });
}

function noticeOf({ mail, siteName }: NoticeParts, to: string, items: readonly EndingItem[]) {
  const lines = items.map(
    ({ title, until, nodeId }) => `${until}  ${title}\n            ${mail.baseUrl}${entityPath.node(nodeId)}`,
  );
  return {
    to,
    subject: `Access rules at ${siteName()} end soon`,
    text: [
      'The access rules of these items end on the days below. Without a change, the items are open from then on:',
      lines.join('\n'),
      `Change them in ${mail.baseUrl}${paths.nodeOverview}`,
    ].join('\n\n'),
  };
}
