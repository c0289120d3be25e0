import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { accessAnchors, accessRules, accessSets, mediaAccess, nodeAccess } from '../../database/schema/access.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { excluded, failIf, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import { isMemberOf, isParentOf } from '../relations.ts';

/**
 * The statements that keep `node_access`. The set of a node follows from its own row and from the nodes that it is a member
 * of, so that one transaction with a write of the node decides it:
 *
 * - its own rules, `r`;
 * - `n` of each parent whose members refer to it (`access_anchor`), otherwise what the parent's set has of its own parents;
 * - `g` of itself if a link opens it.
 */

/** The text of a node's own rule, and that of the rule of its access terms. */
export interface OwnRules {
  readonly rule: string | null;
  readonly termsRule: string | null;
}

const [above, up, anchor, set, member] = [
  alias(references, 'above'),
  alias(nodeAccess, 'up'),
  alias(accessAnchors, 'anchor'),
  alias(accessSets, 'of_up'),
  alias(references, 'below'),
];

const isAnchor = (nid: SQLWrapper, more = sql``) =>
  sql`EXISTS (SELECT 1 FROM ${accessAnchors} ${anchor} WHERE ${anchor.nid} = ${nid}${more})`;
const listedParts = sql`json_each('["' || replace(${set.parts}, ' ', '","') || '"]') each`;

/** What the sets of the wanted nodes have of deleted parents: their members stay restricted. */
const ofDeleted = sql`UNION SELECT wanted.nid, each.value FROM wanted CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = wanted.nid
  CROSS JOIN ${accessSets} ${set} ON ${set.id} = ${up.setId} CROSS JOIN ${listedParts}
  WHERE each.value LIKE 'n%'
    AND NOT EXISTS (SELECT 1 FROM ${nodes} WHERE ${nodes.id} = CAST(substr(each.value, 2) AS INTEGER))`;

/** Returns the tables `wanted (nid)` and `placed (nid, parts)`, for the nodes that a query returns. */
function placed(wanted: SQL, more: SQL): SQL {
  return sql`wanted (nid) AS MATERIALIZED (${wanted}),
    parent (nid, pid) AS MATERIALIZED (SELECT DISTINCT wanted.nid, ${above.targetId} FROM wanted
      CROSS JOIN ${references} ${above} ON ${isParentOf(above, sql`wanted.nid`)} WHERE ${above.targetId} <> wanted.nid),
    own (nid, part) AS (
      SELECT nid, 'n' || pid FROM parent WHERE ${isAnchor(sql`pid`)}
      UNION SELECT parent.nid, each.value FROM parent CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = pid
        CROSS JOIN ${accessSets} ${set} ON ${set.id} = ${up.setId} CROSS JOIN ${listedParts}
        WHERE each.value LIKE 'n%' AND NOT ${isAnchor(sql`pid`)}
      UNION SELECT wanted.nid, 'r' || ${up.ruleId} FROM wanted CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = wanted.nid
        WHERE ${up.ruleId} IS NOT NULL
      UNION SELECT wanted.nid, 'r' || ${up.termsRuleId} FROM wanted CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = wanted.nid
        WHERE ${up.termsRuleId} IS NOT NULL
      UNION SELECT wanted.nid, 'g' || wanted.nid FROM wanted CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = wanted.nid
        WHERE ${up.isGranted} = 1
      ${more}),
    placed (nid, parts) AS MATERIALIZED (SELECT wanted.nid, coalesce(group_concat(own.part, ' '
        ORDER BY instr('rng', substr(own.part, 1, 1)), CAST(substr(own.part, 2) AS INTEGER)), '')
      FROM wanted LEFT JOIN own ON own.nid = wanted.nid GROUP BY wanted.nid)`;
}

const [current, currentSet] = [alias(nodeAccess, 'present'), alias(accessSets, 'present_set')];
/** The rows of `placed` with the present ones. */
const COMPARED = sql`placed LEFT JOIN ${nodeAccess} ${current} ON ${current.nid} = placed.nid
  LEFT JOIN ${accessSets} ${currentSet} ON ${currentSet.id} = ${current.setId}`;
const DIFFERS = sql`placed.parts <> coalesce(${currentSet.parts}, '')`;

/** The nodes of a query, for `placementOf`. */
type Wanted<Values> = (values: Named<Values>) => SQL;

const { nid, setId, ruleId, termsRuleId, sequence, changed } = nodeAccess;
/** The sequence of the last change of a set, 0 before the first. */
export const LAST_SEQUENCE = sql`(SELECT coalesce(max(${sequence}), 0) FROM ${nodeAccess})`;

/** Prepares the statements that place nodes, whose own rows are as they will be. */
function placementOf<Values>(wanted: Wanted<Values>, more = sql``) {
  const placedOf = (values: Named<Values>) => placed(wanted(values), more);
  return {
    /** A node with rules that gets its first member becomes an anchor. All of its members will refer to it. */
    anchors: prepare((values: Named<Values>) =>
      plain(sql`WITH wanted (nid) AS (${wanted(values)})
        INSERT INTO ${accessAnchors} (${namesOf(accessAnchors.nid, accessAnchors.isWhole)})
        SELECT DISTINCT ${above.targetId}, 1 FROM wanted
          CROSS JOIN ${references} ${above} ON ${isParentOf(above, sql`wanted.nid`)}
          CROSS JOIN ${nodeAccess} ${up} ON ${up.nid} = ${above.targetId}
        WHERE ${above.targetId} <> wanted.nid AND coalesce(${up.ruleId}, ${up.termsRuleId}) IS NOT NULL
        ON CONFLICT DO NOTHING`),
    ),
    sets: prepare((values: Named<Values>) =>
      plain(sql`WITH ${placedOf(values)}
        INSERT INTO ${accessSets} (${namesOf(accessSets.parts)})
        SELECT DISTINCT placed.parts FROM placed WHERE placed.parts <> ''
          AND NOT EXISTS (SELECT 1 FROM ${accessSets} ${set} WHERE ${set.parts} = placed.parts)
        ON CONFLICT DO NOTHING`),
    ),
    /** Fails if the set of a node changes on which those of its members depend otherwise than by an anchor. */
    anchored: prepare((values: Named<Values>) =>
      failIf(
        'unanchored',
        sql`EXISTS (WITH ${placedOf(values)} SELECT 1 FROM ${COMPARED}
          WHERE ${DIFFERS} AND NOT ${isAnchor(sql`placed.nid`, sql` AND ${anchor.isWhole} = 1`)}
            AND EXISTS (SELECT 1 FROM ${references} ${member}
              WHERE ${isMemberOf(member, sql`placed.nid`)} AND ${member.sourceId} <> placed.nid))`,
      ),
    ),
    rows: prepare((values: Named<Values & { readonly now: number }>) =>
      plain(sql`WITH ${placedOf(values)}
        INSERT INTO ${nodeAccess} (${namesOf(nid, setId, sequence, changed)})
        SELECT placed.nid, coalesce(${set.id}, 0), ${LAST_SEQUENCE} + row_number() OVER (), ${values.now}
        FROM ${COMPARED} LEFT JOIN ${accessSets} ${set} ON ${set.parts} = placed.parts
        WHERE ${DIFFERS}
        ON CONFLICT (${namesOf(nid)}) DO UPDATE SET ${namesOf(setId)} = ${excluded(setId)},
          ${namesOf(sequence)} = ${excluded(sequence)}, ${namesOf(changed)} = ${excluded(changed)}`),
    ),
  };
}

/** The nodes of a JSON list of lists, which begin with their UUIDs. */
const ofWrites = (list: SQL) =>
  sql`SELECT ${nodes.id} FROM json_each(${list}) written CROSS JOIN ${nodes} ON ${nodes.uuid} = written.value ->> 0`;

const writes = placementOf(({ list }: Named<{ readonly list: string }>) => ofWrites(list));

const insertRules = prepare(({ list }: Named<{ readonly list: string }>) =>
  plain(sql`INSERT INTO ${accessRules} (${namesOf(accessRules.rule)})
    SELECT DISTINCT rule.value FROM json_each(${list}) written CROSS JOIN json_each(written.value) rule
    WHERE rule.key > 0 AND rule.value IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${accessRules} WHERE ${accessRules.rule} = rule.value)`),
);

const ruleIdOf = (text: SQL) => sql`(SELECT ${accessRules.id} FROM ${accessRules} WHERE ${accessRules.rule} = ${text})`;

/** Stores the own rules of nodes. A node without any gets no row, and keeps one that it has. */
const putRules = prepare(({ list, now }: Named<{ readonly list: string; readonly now: number }>) =>
  plain(sql`INSERT INTO ${nodeAccess} (${namesOf(nid, setId, ruleId, termsRuleId, sequence, changed)})
    SELECT ${nodes.id}, 0, ${ruleIdOf(sql`written.value ->> 1`)}, ${ruleIdOf(sql`written.value ->> 2`)},
      ${LAST_SEQUENCE} + row_number() OVER (), ${now}
    FROM json_each(${list}) written CROSS JOIN ${nodes} ON ${nodes.uuid} = written.value ->> 0
      LEFT JOIN ${nodeAccess} ${current} ON ${current.nid} = ${nodes.id}
    WHERE coalesce(written.value ->> 1, written.value ->> 2) IS NOT NULL OR ${current.nid} IS NOT NULL
    ON CONFLICT (${namesOf(nid)}) DO UPDATE SET ${namesOf(ruleId)} = ${excluded(ruleId)},
      ${namesOf(termsRuleId)} = ${excluded(termsRuleId)}, ${namesOf(sequence)} = ${excluded(sequence)}`),
);

const mediaOf = (list: SQL) =>
  sql`json_each(${list}) written CROSS JOIN ${media} ON ${media.uuid} = written.value ->> 0`;
const mediaRule = sql`'r' || ${ruleIdOf(sql`written.value ->> 2`)}`;

const putMediaSets = prepare(({ list }: Named<{ readonly list: string }>) =>
  plain(sql`INSERT INTO ${accessSets} (${namesOf(accessSets.parts)})
    SELECT DISTINCT ${mediaRule} FROM ${mediaOf(list)} WHERE written.value ->> 2 IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${accessSets} ${set} WHERE ${set.parts} = ${mediaRule})`),
);
const removeMediaRows = prepare(({ list }: Named<{ readonly list: string }>) =>
  plain(sql`DELETE FROM ${mediaAccess} WHERE ${mediaAccess.mid} IN (SELECT ${media.id} FROM ${mediaOf(list)})`),
);
const putMediaRows = prepare(({ list }: Named<{ readonly list: string }>) =>
  plain(sql`INSERT INTO ${mediaAccess} (${namesOf(mediaAccess.mid, mediaAccess.setId)})
    SELECT ${media.id}, ${set.id} FROM ${mediaOf(list)} CROSS JOIN ${accessSets} ${set} ON ${set.parts} = ${mediaRule}
    WHERE written.value ->> 2 IS NOT NULL`),
);

/** Returns the statements that keep the access sets of written media. */
export function placeMedia(written: readonly PlacedNode[]): Statement[] {
  if (written.length === 0) return [];
  const list = JSON.stringify(written.map(({ uuid, termsRule }) => [uuid, null, termsRule]));
  if (written.every(({ termsRule }) => termsRule === null)) return [removeMediaRows({ list })];
  return [insertRules({ list }), putMediaSets({ list }), removeMediaRows({ list }), putMediaRows({ list })];
}

/** Fails if any content has a set, or must refer to another, so that a write that places nothing is repeated. */
const failIfRestricted = prepare(() =>
  failIf('stale', sql`EXISTS (SELECT 1 FROM ${accessSets}) OR EXISTS (SELECT 1 FROM ${accessAnchors})`),
);

/** A written node with its rules. */
export interface PlacedNode extends OwnRules {
  readonly uuid: string;
}

/**
 * Returns the statements that place written nodes, after their references. `nobody` is true if no content has rules, as far as
 * is known. The batch fails with `guard_unanchored` for a node whose members must refer to it first (`anchorNodes`).
 */
export function placeWritten(written: readonly PlacedNode[], nobody: boolean, now: number): Statement[] {
  if (written.length === 0) return [];
  if (nobody && written.every(({ rule, termsRule }) => rule === null && termsRule === null))
    return [failIfRestricted()];
  const list = JSON.stringify(written.map(({ uuid, rule, termsRule }) => [uuid, rule, termsRule]));
  return [
    insertRules({ list }),
    putRules({ list, now }),
    writes.anchors({ list }),
    writes.sets({ list }),
    writes.anchored({ list }),
    writes.rows({ list, now }),
  ];
}

const listed = placementOf(
  ({ ids }: Named<{ readonly ids: string }>) => sql`SELECT value FROM json_each(${ids})`,
  ofDeleted,
);

/** Returns the statements that place nodes again, below an anchor. */
export function placeAgain(ids: readonly number[], now: number): Statement[] {
  const list = { ids: JSON.stringify(ids) };
  return [listed.sets(list), listed.rows({ ...list, now })];
}

const removeRows = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  plain(sql`DELETE FROM ${nodeAccess} WHERE ${nid} IN (SELECT value FROM json_each(${ids})) AND NOT ${isAnchor(nid)}
    AND ${sequence} < ${LAST_SEQUENCE}`),
);

/**
 * Returns the statement that removes the rows of deleted nodes. That of an anchor stays: its members stay restricted. The last
 * one stays, too: searches would take the next change for one that they have read.
 */
export function forgetAccess(ids: string): Statement {
  return removeRows({ ids });
}
