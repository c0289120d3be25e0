import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checkShape, nameOf, withoutBadMembers } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import { ConfigError, type Problem } from '../base/yaml-file.ts';
import type { Layers } from './merge-files.ts';

const MACHINE_NAME = /^[a-z][a-z0-9_]*$/;
/** The maximum length of the names of bundles and fields, as in Drupal. */
const MAX_NAME_CHARS = 32;

/** A reading of the configuration. It collects the problems of all parsers. */
export interface Reading {
  /** Returns true if the value at a path is built in, not from the user's file. */
  isBuiltIn(path: readonly string[]): boolean;
  isRemoved(path: readonly string[]): boolean;
  report(path: readonly string[], message: string): void;
  /** Returns true if a problem at or below a path was reported. */
  hasProblem(path: readonly string[]): boolean;
  /** Reports that `path` has an unknown name, or that the user's file removes the entry of `target` that it names. */
  reportUnknown(path: readonly string[], what: string, name: string, known: Iterable<string>, target?: string): void;
  /** Reports the differences of a map from its schema, and returns its valid members. */
  checkedMap<Schema extends TSchema>(schema: Schema, value: unknown, path: string[]): Partial<Static<Schema>>;
  /** Parses every entry of a map whose keys are machine names of at most `maxChars` characters (default: 32). */
  eachNamed<Entry>(
    value: Readonly<Record<string, unknown>> | undefined,
    path: string[],
    parse: (name: string, value: unknown, path: string[]) => Entry,
    maxChars?: number,
  ): Map<string, Entry>;
  /** Throws `ConfigError` with all reported problems, if any. */
  finish(): void;
}

export function createReading(layers: Layers): Reading {
  const problems: Problem[] = [];
  const reported: string[] = [];
  const reading: Reading = {
    isBuiltIn: layers.isBuiltIn,
    isRemoved: layers.isRemoved,
    report(path, message) {
      reported.push(idOf(path));
      problems.push({ ...layers.placeOf(path), message: layers.redact(message) });
    },
    hasProblem: (path) => reported.some((id) => id.startsWith(idOf(path))),
    reportUnknown(path, what, name, known, target) {
      const names = [...known];
      if (target !== undefined && layers.isRemoved([target, name])) {
        const kept = nameOf([target, name]);
        reading.report([target, name], `${kept} cannot be removed: ${nameOf(path)} refers to it`);
        return;
      }
      const guess = nearest(name, names);
      const all = names.length > 0 ? `there are: ${names.join(', ')}` : 'there are none';
      const hint = guess ? `did you mean ${guess}?` : all;
      reading.report(path, `${nameOf(path)}: there is no ${what} "${name}"; ${hint}`);
    },
    checkedMap<Schema extends TSchema>(schema: Schema, value: unknown, path: string[]) {
      // Most values are valid, and this check is much faster than the search for differences.
      if (Value.Check(schema, value)) return value as Partial<Static<Schema>>;
      const problems = checkShape(schema, value, path, layers.redact);
      for (const problem of problems) reading.report(problem.path, problem.message);
      if (!isMap(value)) return {};
      return withoutBadMembers(value, problems, path);
    },
    eachNamed(value, path, parse, maxChars = MAX_NAME_CHARS) {
      return new Map(
        Object.entries(value ?? {}).map(([name, entry]) => {
          const at = [...path, name];
          if (name.length > maxChars || !MACHINE_NAME.test(name)) {
            reading.report(
              at,
              `${nameOf(at)}: a machine name is at most ${maxChars} lower-case letters, digits and _, and begins with a letter`,
            );
          }
          return [name, parse(name, entry, at)];
        }),
      );
    },
    finish() {
      const [first] = problems;
      if (first !== undefined) throw new ConfigError(first.file ?? '', problems);
    },
  };
  for (const { path, message } of layers.problems) reading.report(path, message);
  return reading;
}

function idOf(path: readonly string[]): string {
  return path.map((step) => `${step}\n`).join('');
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
