import { ACCESS_LEVELS } from './access-presets.ts';

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isIds = (value: unknown) => Array.isArray(value) && value.every(Number.isSafeInteger);

/** Whether a value is one of a member. */
const SHAPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  preset: isText,
  level: (value) => ACCESS_LEVELS.some((level) => level === value),
  from: isText,
  until: isText,
  open_uses: isTexts,
  roles: isTexts,
  users: isIds,
  networks: isTexts,
  terms: isIds,
  access_terms: isIds,
  reason: isText,
  contact: isText,
};

/**
 * Returns the members of the rule in a stored text (`AccessRule`). Undefined for a text that is no rule: a program of another version, or a hand, has
 * written it. A member that is not known might let fewer people in.
 */
export function parseRule(text: string): object | undefined {
  let rule: unknown;
  try {
    rule = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return undefined;
  const isRule = Object.entries(rule).every(([name, value]) => Object.hasOwn(SHAPES, name) && SHAPES[name]?.(value));
  return isRule ? rule : undefined;
}
