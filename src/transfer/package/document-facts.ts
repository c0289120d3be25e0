import type { JsonObject } from '../../base/json.ts';
import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { isUuid } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';

/** The times and users of a revision. Users are UUIDs of the package, times are seconds since 1970. */
interface DocumentFacts {
  readonly created: number;
  readonly changed: number;
  readonly revisionCreated: number;
  readonly owner: string | undefined;
  /** Undefined for a revision without a user. */
  readonly revisionUser: string | undefined;
}

/** Returns the facts of a document, or its problems. */
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
    // Paragraphs have no time of change.
    changed: time(baseFieldNamed.has('changed') ? 'changed' : names.created),
    revisionCreated: time(names.revisionCreated),
    owner: textsOf(document, names.owner, 'target_uuid').find(isUuid),
    revisionUser: textsOf(document, names.revisionUser, 'target_uuid').find(isUuid),
  };
  return problems.length > 0 ? problems : facts;
}

/** The problem of an invalid time. */
export const BAD_TIME = 'It must be a time such as 2019-03-14T19:05:24+00:00.';

/** Returns the time in a field, in seconds since 1970; undefined if it has no valid time. */
export function readTime(document: JsonObject, name: string): number | undefined {
  const value = firstValue(document, name);
  return typeof value === 'string' ? parseIsoSeconds(value) : undefined;
}

/** Returns the value of the first item of a member; undefined if there is none. */
export function firstValue(document: JsonObject, name: string): unknown {
  const items = Object.hasOwn(document, name) ? document[name] : undefined;
  const first = Array.isArray(items) ? items[0] : undefined;
  return typeof first === 'object' && first !== null && !Array.isArray(first) ? first.value : undefined;
}

/** Returns one member of each item of a field, without those that are no text. */
export function textsOf(document: JsonObject, field: string, member: string): string[] {
  const items = Object.hasOwn(document, field) ? document[field] : undefined;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => {
    const value = typeof item === 'object' && item !== null && !Array.isArray(item) ? item[member] : undefined;
    return typeof value === 'string' ? value : [];
  });
}

/** Returns a number of pixels; null for any other value. */
export function sizeIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
