import type { TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { nearest } from './nearest.ts';

/** A difference between a value and its schema; `path` is that of the member. */
interface ShapeProblem {
  path: string[];
  message: string;
}

/**
 * Returns the differences between a configuration value and its schema, as sentences. The `description`s of the schema
 * complete "x must be …"; values marked `writeOnly` are not shown. `at` is the path of the value in its file; `redact`
 * removes secrets from shown values.
 */
export function checkShape(
  schema: TSchema,
  value: unknown,
  at: readonly string[] = [],
  redact: (text: string) => string = (text) => text,
): ShapeProblem[] {
  const problems = new Map<string, ShapeProblem>();
  for (const error of Value.Errors(schema, value)) {
    const path = [...at, ...pathOf(error)];
    const key = path.join('\n');
    if (!problems.has(key)) problems.set(key, { path, message: describe(error, path, schema, redact) });
  }
  return [...problems.values()];
}

/**
 * Returns a copy of a map without the members and list items that have problems, so that the rest can be checked and all
 * problems be reported together. Lists keep their indexes, with holes. `at` is the path of the map in its file.
 */
export function withoutBadMembers(
  value: object,
  problems: readonly ShapeProblem[],
  at: readonly string[] = [],
): object {
  const copy: Record<string, unknown> = { ...value };
  for (const { path } of problems) {
    const [key, index] = path.slice(at.length);
    if (key === undefined) continue;
    const member = copy[key];
    if (index !== undefined && Array.isArray(member)) {
      const list = [...member];
      delete list[Number(index)];
      copy[key] = list;
    } else delete copy[key];
  }
  return copy;
}

/** Formats a path: `a.b."image/*".c`. */
export function nameOf(path: readonly string[]): string {
  return path.map((step) => (/^[\w-]+$/.test(step) ? step : `"${step}"`)).join('.') || 'the file';
}

function pathOf(error: ValueError): string[] {
  return error.path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function describe(error: ValueError, path: string[], root: TSchema, redact: (text: string) => string): string {
  const key = path.at(-1) ?? '';
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const known = Object.keys(root.properties ?? {});
    const guess = nearest(key, known);
    const hint = guess ? `did you mean ${guess}?` : `known here: ${known.join(', ')}`;
    return `unknown key ${nameOf(path)}; ${hint}`;
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return `${nameOf(path)} is missing; it is ${error.schema.description}`;
  }
  const isShown = !error.schema.writeOnly || typeof error.value === 'object';
  const actual = isShown ? show(error.value, redact) : `a ${typeof error.value}`;
  return `${nameOf(path)} must be ${error.schema.description}, found ${actual}`;
}

function show(value: unknown, redact: (text: string) => string): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  const text = redact(typeof value === 'string' ? `"${value}"` : String(value));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
