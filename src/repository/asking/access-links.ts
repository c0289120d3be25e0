import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { isSessionId, newSessionId, storedSessionKey } from '../../auth/session-token.ts';
import { Cache } from '../../base/cache.ts';
import { unprocessable } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { accessLinks, accessLinkUses } from '../../database/schema/asking.ts';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong, isText } from '../../database/sql.ts';
import { type Named, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { isDay } from '../../model/access-rules.ts';
import { openToLinks } from '../access/anchor.ts';
import type { BaseServices } from '../base-services.ts';

const MAX_BYTES = 256 * 1024;
const LINK_BYTES = 100;
/** The number of links of an item that its page lists. */
const MAX_LISTED = 100;
const MAX_LABEL_CHARS = 200;

/** What a valid link opens. */
export interface OpenedLink {
  readonly id: number;
  readonly nodeId: number;
  readonly lastDay: string;
}

const linkOfToken = prepare(({ tokenHash }: Named<{ tokenHash: string }>) =>
  query
    .select({ id: accessLinks.id, nodeId: accessLinks.nodeId, lastDay: accessLinks.lastDay })
    .from(accessLinks)
    .innerJoin(nodes, eq(nodes.id, accessLinks.nodeId))
    .where(and(eq(accessLinks.tokenHash, tokenHash), isNull(accessLinks.revoked))),
);

/** Finds the link of a token; undefined if it is unknown, revoked or expired, or its item was deleted. */
export type FindAccessLink = (token: string) => Promise<OpenedLink | undefined>;

/**
 * Creates the look-up of links. Links are cached until one is revoked, by any process (`knownGeneration`); the day is compared
 * at each use. A look-up by a digest takes as long for a wrong token as for one that is almost right.
 */
export function createFindAccessLink({ database, access }: Pick<BaseServices, 'database' | 'access'>): FindAccessLink {
  const cache = new Cache<OpenedLink>({
    maxBytes: MAX_BYTES,
    bytesOf: () => LINK_BYTES,
    state: database.knownGeneration,
  });
  return async (token) => {
    if (!isSessionId(token)) return undefined;
    const tokenHash = storedSessionKey(token);
    const link = await cache.read(tokenHash, () => database.get(linkOfToken({ tokenHash })));
    return link !== undefined && access.today <= link.lastDay ? link : undefined;
  };
}

/** A link that an editor wants. */
export interface WantedLink {
  readonly nodeId: number;
  /** Whom it is for. */
  readonly label: string;
  /** The last day of the site on which it opens the item. */
  readonly lastDay: string;
  readonly createdBy: number;
  readonly requestId?: number;
}

const collectionsAmong = prepare(({ id, uris }: Named<{ id: number; uris: string }>) =>
  query
    .select({ id: references.sourceId })
    .from(references)
    .innerJoin(termUris, eq(termUris.termId, references.targetId))
    .where(
      and(
        ...[
          isText(references.sourceType, 'node'),
          eq(references.sourceId, id),
          isText(references.field, 'field_model'),
        ],
        ...[isText(references.targetType, 'taxonomy_term'), isAmong(termUris.uri, uris)],
      ),
    ),
);

/** Returns true for a collection, for which no link can be made: a link opens one item and its pages. */
export async function isCollection({ database, model }: BaseServices, id: number): Promise<boolean> {
  const uris = JSON.stringify(model.models.urisOf('collection'));
  return (await database.get(collectionsAmong({ id, uris }))) !== undefined;
}

/**
 * Prepares an item for links, and returns a new link with the only copy of its token. It is valid once its statement is
 * written. Throws `unprocessable` for a day that is none or has passed, for a missing label, and for a collection.
 */
export async function newAccessLink(
  services: BaseServices,
  { nodeId, label: typed, lastDay, createdBy, requestId }: WantedLink,
): Promise<{ readonly token: string; readonly statement: Statement }> {
  const label = typed.trim().slice(0, MAX_LABEL_CHARS);
  const { today } = services.access;
  if (!isDay(lastDay)) throw unprocessable('Enter the last day on which the link is valid, such as 2027-05-01.');
  if (lastDay < today) throw unprocessable(`The last day must not have passed. Today is ${today}.`);
  if (label === '') throw unprocessable('Enter whom the link is for.');
  if (await isCollection(services, nodeId))
    throw unprocessable('A link opens one item, not a collection. Make links to the items that the reader needs.');
  await openToLinks(services, nodeId);
  const token = newSessionId();
  const values = { nodeId, label, lastDay, createdBy, requestId, tokenHash: storedSessionKey(token) };
  return { token, statement: statementOf(query.insert(accessLinks).values({ ...values, created: services.now() })) };
}

/** Makes a link, and returns its token. Throws as `newAccessLink`. */
export async function makeAccessLink(services: BaseServices, wanted: WantedLink): Promise<string> {
  const { token, statement } = await newAccessLink(services, wanted);
  await services.database.write([statement]);
  return token;
}

type Revocation = { id: number; nodeId: number; by: number; now: number };
const revoke = prepare(({ id, nodeId, by, now }: Named<Revocation>) =>
  query
    .update(accessLinks)
    .set({ revoked: now, revokedBy: by })
    .where(and(eq(accessLinks.id, id), eq(accessLinks.nodeId, nodeId), isNull(accessLinks.revoked))),
);

/** Revokes a link of a node, with effect on the next request. Returns false unless the node has a valid one with this id. */
export async function revokeAccessLink(
  { database, now }: BaseServices,
  link: Pick<Revocation, 'id' | 'nodeId' | 'by'>,
): Promise<boolean> {
  const { revoked } = await database.write({ revoked: revoke({ ...link, now: now() }) });
  return revoked.changes === 1;
}

const addUse = prepare((use: Named<{ linkId: number; at: number; address: string | null }>) =>
  query.insert(accessLinkUses).values({ linkId: use.linkId, at: use.at, address: use.address }),
);

/** Records that the address of a link was opened, by a client with an address. */
export async function recordLinkUse(
  { database, now }: BaseServices,
  { id }: Pick<OpenedLink, 'id'>,
  address: string | undefined,
): Promise<void> {
  await database.write([addUse({ linkId: id, at: now(), address: address ?? null })]);
}

const linksOfNode = prepare(({ nodeId }: Named<{ nodeId: number }>) =>
  query
    .select({
      id: accessLinks.id,
      label: accessLinks.label,
      lastDay: accessLinks.lastDay,
      created: accessLinks.created,
      createdBy: users.name,
      revoked: accessLinks.revoked,
      uses: sql<number>`(SELECT count(*) FROM ${accessLinkUses} WHERE ${accessLinkUses.linkId} = ${accessLinks.id})`,
      lastUse: sql<number | null>`(SELECT max(${accessLinkUses.at}) FROM ${accessLinkUses}
        WHERE ${accessLinkUses.linkId} = ${accessLinks.id})`,
    })
    .from(accessLinks)
    .leftJoin(users, eq(users.id, accessLinks.createdBy))
    .where(eq(accessLinks.nodeId, nodeId))
    .orderBy(desc(accessLinks.id))
    .limit(MAX_LISTED),
);

/** Returns the latest links of a node, with the number of times that their addresses were opened. */
export function findAccessLinks({ database }: Pick<BaseServices, 'database'>, nodeId: number) {
  return database.all(linksOfNode({ nodeId }));
}

export type ListedLink = Awaited<ReturnType<typeof findAccessLinks>>[number];
