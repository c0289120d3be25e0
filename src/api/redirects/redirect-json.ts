import { dateItem } from '../../field-types/moment.tsx';
import { NO_QUERY } from '../../repository/addresses/redirect-target.ts';
import type { Redirect } from '../../repository/addresses/save-redirect.ts';
import { reference } from '../../repository/content/common-base-fields.ts';

/** A redirect as JSON text, in the form of an entity. */
export function redirectJson({ source, ownerId, ownerUuid, ...redirect }: Redirect): string {
  const query = source.query === NO_QUERY ? null : JSON.parse(source.query);
  return JSON.stringify({
    rid: [{ value: redirect.id }],
    uuid: [{ value: redirect.uuid }],
    type: [{ value: 'redirect' }],
    // Whoever made it may be gone.
    uid: ownerUuid === null ? [] : reference('user', ownerId, ownerUuid),
    redirect_source: [{ path: source.path, query }],
    redirect_redirect: [{ uri: redirect.target, title: redirect.title, options: [] }],
    language: [{ value: redirect.langcode }],
    status_code: [{ value: redirect.statusCode }],
    created: [dateItem(redirect.created)],
  });
}
