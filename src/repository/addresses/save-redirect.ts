import { and, eq, getTableColumns } from 'drizzle-orm';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { redirects } from '../../database/schema/loading.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import { redirectExists, uuidTaken } from '../errors.ts';
import { STATUS_GONE } from '../redirect-source.ts';
import type { RedirectSource } from './redirect-target.ts';

/** A stored redirect. */
export interface Redirect {
  readonly id: number;
  readonly uuid: string;
  readonly source: RedirectSource;
  readonly target: string;
  readonly title: string | null;
  readonly statusCode: number;
  readonly langcode: string;
  readonly ownerId: number;
  readonly ownerUuid: string | null;
  readonly created: number;
  /** The canonical path of the content over whose alias it takes precedence. */
  readonly replacedPath: string | null;
}

const removeFormerAlias = prepare((source: Named<RedirectSource>) =>
  query
    .delete(redirects)
    .where(
      and(
        eq(redirects.sourcePath, source.path),
        eq(redirects.sourceQuery, source.query),
        eq(redirects.statusCode, STATUS_GONE),
      ),
    ),
);

export type NewRedirect = Pick<
  Redirect,
  'uuid' | 'source' | 'target' | 'title' | 'statusCode' | 'langcode' | 'replacedPath'
>;

/** Stores a redirect. Throws `unprocessable` if its source already has one. */
export async function createRedirect(services: BaseServices, actor: Actor, redirect: NewRedirect): Promise<Redirect> {
  const { uuid, source, target, title, statusCode, langcode, replacedPath } = redirect;
  const created = services.now();
  try {
    const { inserted } = await services.database.write({
      replaced: removeFormerAlias({ path: source.path, query: source.query }),
      inserted: statementOf(
        query
          .insert(redirects)
          .values({
            ...{ uuid, sourcePath: source.path, sourceQuery: source.query, targetUri: target, targetTitle: title },
            ...{ statusCode, langcode, ownerId: actor.id, created, replacedPath },
          })
          .returning({ id: redirects.id }),
      ),
    });
    const [{ id } = { id: 0 }] = inserted;
    return { ...redirect, id, ownerId: actor.id, ownerUuid: actor.uuid, created };
  } catch (error) {
    const column = failedUniqueness(error);
    if (column === 'redirect.uuid') throw uuidTaken(uuid);
    if (column?.startsWith('redirect')) throw redirectExists(source.path);
    throw error;
  }
}

const redirectById = prepare(({ id }: Named<{ id: number }>) =>
  query
    .select({ ...getTableColumns(redirects), ownerUuid: users.uuid })
    .from(redirects)
    .leftJoin(users, eq(users.id, redirects.ownerId))
    .where(eq(redirects.id, id)),
);

/** Returns the redirect with an id, or undefined. */
export async function findRedirectById({ database }: BaseServices, id: number): Promise<Redirect | undefined> {
  const row = await database.get(redirectById({ id }));
  if (row === undefined) return undefined;
  const { sourcePath, sourceQuery, targetUri, targetTitle, ...others } = row;
  return { ...others, source: { path: sourcePath, query: sourceQuery }, target: targetUri, title: targetTitle };
}

export async function removeRedirect({ database }: BaseServices, id: number): Promise<void> {
  await database.write({ removed: statementOf(query.delete(redirects).where(eq(redirects.id, id))) });
}
