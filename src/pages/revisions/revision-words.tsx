import { isoSeconds } from '../../field-types/epoch-seconds.ts';
import { entityPath } from '../../paths.ts';
import type { RevisionEntry } from './revision-data.ts';

/** The number of changed fields that an entry names. */
const MAX_NAMED = 5;
const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** Returns the time of a revision: `12 May 2026 at 14:03 UTC`. */
export function timeInWords(seconds: number): string {
  return `${FORMAT.format(seconds * 1000)} UTC`;
}

/** The time of a revision in words. */
export function RevisionTime({ revision: { created } }: { revision: RevisionEntry }) {
  return <Moment at={created} />;
}

/** The user who made a revision, if the caller may view the user. */
export function RevisionUser({ revision: { user }, root }: { revision: RevisionEntry; root: string }) {
  if (user === undefined) return 'a user';
  return (
    <a href={root + entityPath.user(user.id)}>
      <bdi>{user.name}</bdi>
    </a>
  );
}

/** A time in words, in UTC as in the history of content. */
export function Moment({ at }: { readonly at: number }) {
  return <time datetime={isoSeconds(at)}>{timeInWords(at)}</time>;
}

/** The fields that change if a revision is brought back. */
export function Changes({ revision: { restoring } }: { revision: RevisionEntry }) {
  if (restoring === undefined || restoring.changes.length === 0) return null;
  const { changes } = restoring;
  const more = changes.length > MAX_NAMED ? ` and ${changes.length - MAX_NAMED} more` : '';
  return (
    <span class="restored">
      Differs from now: <bdi>{changes.slice(0, MAX_NAMED).join(', ')}</bdi>
      {more}.
    </span>
  );
}
