import { count, eq } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { nameOfDeleted } from './account-problems.ts';
import { writeChange } from './change-account.ts';
import type { User } from './find-user.ts';
import { forgetFailures } from './flood-store.ts';

/**
 * Deletes an account in one batch: erases everything about the person, and ends sessions, tokens and reset links. An empty
 * record with its number remains, to which content and revisions refer (decision 68). Throws as `changeAccount` does.
 */
export async function deleteAccount(services: BaseServices, user: User): Promise<void> {
  const { database, model, now } = services;
  const { id, name } = user.row;
  const erased = {
    name: nameOfDeleted(id),
    mail: null,
    init: null,
    passwordHash: null,
    status: false,
    roles: '[]',
    preferredLangcode: model.defaultLanguage,
    preferredAdminLangcode: null,
    timezone: 'UTC',
    access: 0,
    login: 0,
    isDangling: false,
    fields: '{}',
    deletedAt: now(),
  };
  await writeChange(services, user, erased, [await forgetFailures(database, name)]);
}

const ownedNodes = prepare(({ owner }: Named<{ owner: number }>) =>
  query.select({ total: count() }).from(nodes).where(eq(nodes.ownerId, owner)),
);
const ownedMedia = prepare(({ owner }: Named<{ owner: number }>) =>
  query.select({ total: count() }).from(media).where(eq(media.ownerId, owner)),
);

/** Returns the numbers of nodes and media that a user owns. */
export async function countOwned(database: Database, owner: number): Promise<{ nodes: number; media: number }> {
  const counts = await database.read({ nodes: ownedNodes({ owner }), media: ownedMedia({ owner }) });
  return { nodes: counts.nodes[0]?.total ?? 0, media: counts.media[0]?.total ?? 0 };
}
