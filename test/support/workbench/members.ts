/** The condition of a member for Islandora Workbench to continue. */
export type Kind =
  | 'integer'
  | 'number'
  | 'text'
  | 'text or null'
  | 'boolean'
  | 'list'
  | 'object'
  | 'absolute URL'
  | 'site path'
  | 'there';

/** A kind, or exactly one value. */
export type MemberKind = Kind | `= ${string}`;

const CHECKS: Record<Kind, (value: unknown) => boolean> = {
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  'text or null': (value) => value === null || typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'absolute URL': (value) => typeof value === 'string' && /^https?:\/\//.test(value),
  'site path': (value) => typeof value === 'string' && /^\/[^/]/.test(value),
  there: (value) => value !== undefined,
};

/**
 * The member at a path such as `nid[0].value`, `[0].tid[0].value`, `field_media_use[].target_id` (of every item) or
 * `field_note` of an answer. Throws as Python would where a step of the path is missing, and where what is found is
 * not what is wanted.
 */
export function readMember(json: unknown, path: string, kind: MemberKind): unknown {
  const found = follow(json, stepsOf(path), path);
  for (const value of path.includes('[]') ? (found as unknown[]).flat() : [found]) {
    if (isExact(kind)) {
      if (String(value) !== kind.slice(2)) throw new Error(`${path} is ${JSON.stringify(value)}, not ${kind.slice(2)}`);
    } else if (!CHECKS[kind](value)) {
      throw new Error(`${path} is ${JSON.stringify(value)?.slice(0, 200)}: no ${kind}`);
    }
  }
  return found;
}

/** A member that may be missing; of its kind if it is there. */
export function readOptional(json: unknown, path: string, kind: Kind): unknown {
  const value = (json as Record<string, unknown>)[path];
  return value === undefined ? undefined : readMember(json, path, kind);
}

function isExact(kind: string): kind is `= ${string}` {
  return kind.startsWith('= ');
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(/\[\d*\]|[^.[\]]+/g)].map(([step]) => step);
}

function follow(json: unknown, [step, ...rest]: string[], path: string): unknown {
  if (step === undefined) return json;
  if (step === '[]') {
    if (!Array.isArray(json)) throw new Error(`${path}: TypeError, ${JSON.stringify(json)} is no list`);
    return json.map((item) => follow(item, rest, path));
  }
  if (typeof json !== 'object' || json === null)
    throw new Error(`${path}: TypeError, ${JSON.stringify(json)} is not subscriptable`);
  if (step.startsWith('[')) {
    if (!Array.isArray(json)) throw new Error(`${path}: TypeError, no list at ${step}`);
    const index = Number(step.slice(1, -1));
    if (index >= json.length) throw new Error(`${path}: IndexError, list index out of range`);
    return follow(json[index], rest, path);
  }
  if (Array.isArray(json)) throw new Error(`${path}: TypeError, list indices must be integers, not '${step}'`);
  if (!Object.hasOwn(json, step)) throw new Error(`${path}: KeyError '${step}'`);
  return follow((json as Record<string, unknown>)[step], rest, path);
}
