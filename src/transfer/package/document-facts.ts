import type { JsonObject } from '../../base/json.ts';
import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { firstValue, textsOf } from './document-members.ts';
import { isUuid } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';

/** What a document says of its own history: when, and by whom. Users are UUIDs of the package; times seconds since 1970. */
export interface DocumentFacts {
  readonly created: number;
  readonly changed: number;
  readonly revisionCreated: number;
  readonly owner: string | undefined;
  /** Undefined for a revision that no person made. */
  readonly revisionUser: string | undefined;
}

/** Reads what is fixed about a document, or what is wrong with it. */
export function documentFacts(
  { names, baseFieldNamed }: ContentKind,
  document: JsonObject,
): DocumentFacts | PackageProblem[] {
  const problems: PackageProblem[] = [];
  const time = (name: string): number => {
    const seconds = readTime(document, name);
    if (seconds === undefined) problems.push({ path: name, message: BAD_TIME });
    return seconds ?? 0;
  };
  const facts = {
    created: time(names.created),
    // A paragraph does not say when it changed.
    changed: time(baseFieldNamed.has('changed') ? 'changed' : names.created),
    revisionCreated: time(names.revisionCreated),
    owner: textsOf(document, names.owner, 'target_uuid').find(isUuid),
    revisionUser: textsOf(document, names.revisionUser, 'target_uuid').find(isUuid),
  };
  return problems.length > 0 ? problems : facts;
}

/** What is said of a time that cannot be read. */
export const BAD_TIME = 'It must be a time, as 2019-03-14T19:05:24+00:00.';

/** The time in a field, in seconds since 1970; undefined where there is none. */
export function readTime(document: JsonObject, name: string): number | undefined {
  const value = firstValue(document, name);
  return typeof value === 'string' ? parseIsoSeconds(value) : undefined;
}
