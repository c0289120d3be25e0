import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checkShape, nameOf, withoutBadMembers } from './check-shape.ts';
import { isMap } from './is-map.ts';
import { nearest } from './nearest.ts';
import { ConfigError, type Problem, type YamlFile } from './yaml-file.ts';

const MACHINE_NAME = /^[a-z][a-z0-9_]*$/;
/** The maximum length of a machine name, unless a reader allows another one. */
const MAX_NAME_CHARS = 32;

/** The keys that lead to a member of a file. */
export type Path = readonly string[];

/** A problem of a member of a file. */
export interface PathProblem {
  readonly path: Path;
  readonly message: string;
}

/** A configuration file, or several that are merged. */
export interface ConfigSource {
  /** The problems of the merge. */
  readonly problems: readonly PathProblem[];
  placeOf(path: Path): { file: string; line: number };
  /** Returns true if the value at a path is built in, not from the user's file. */
  isBuiltIn(path: Path): boolean;
  /** Returns true if the user's file removes the value at a path with null. */
  isRemoved(path: Path): boolean;
  redact(message: string): string;
}

/** Returns a single file as a source. */
export function sourceOf({ file, lineOf, redact }: YamlFile): ConfigSource {
  const placeOf = (path: Path) => ({ file, line: lineOf(path) });
  return { problems: [], placeOf, isBuiltIn: () => false, isRemoved: () => false, redact };
}

/** Reads the members of a configuration and collects its problems and warnings. */
export interface ConfigReader extends Pick<ConfigSource, 'isBuiltIn' | 'isRemoved'> {
  readonly warnings: readonly string[];
  warn(warning: string): void;
  report(path: Path, message: string): void;
  /** Returns true if a problem at or below a path was reported. */
  hasProblem(path: Path): boolean;
  /** Reports that `path` has an unknown name, or that the user's file removes the entry of `target` that it names. */
  reportUnknown(path: Path, what: string, name: string, known: Iterable<string>, target?: string): void;
  /** Reports the differences of a map from its schema, and returns its valid members. */
  map<Schema extends TSchema>(schema: Schema, value: unknown, path: Path): Partial<Static<Schema>>;
  /** Parses every entry of a map whose keys are machine names of at most `maxChars` characters (default: 32). */
  eachNamed<Entry>(
    value: Readonly<Record<string, unknown>> | undefined,
    path: string[],
    parse: (name: string, value: unknown, path: string[]) => Entry,
    maxChars?: number,
  ): Map<string, Entry>;
  /** Parses a value. Reports a RangeError of the parser, whose message says what the value must be. */
  parsed<Value, T>(path: Path, value: Value, parse: (value: Value) => T): T | undefined;
  /** Throws ConfigError with all reported problems, if any. */
  finish(): void;
}

/** Creates the reader of a source. */
export function createConfigReader(source: ConfigSource): ConfigReader {
  const { isBuiltIn, isRemoved, redact } = source;
  const problems: Problem[] = [];
  const reported: string[] = [];
  const warnings: string[] = [];
  for (const { path, message } of source.problems) report(path, message);
  return {
    isBuiltIn,
    isRemoved,
    warnings,
    warn: (warning) => void warnings.push(warning),
    report,
    hasProblem: (path) => reported.some((id) => id.startsWith(idOf(path))),
    reportUnknown(path, what, name, known, target) {
      const names = [...known];
      if (target !== undefined && isRemoved([target, name])) {
        const kept = nameOf([target, name]);
        report([target, name], `${kept} cannot be removed: ${nameOf(path)} refers to it`);
        return;
      }
      const guess = nearest(name, names);
      const all = names.length > 0 ? `there are: ${names.join(', ')}` : 'there are none';
      const hint = guess ? `did you mean ${guess}?` : all;
      report(path, `${nameOf(path)}: there is no ${what} "${name}"; ${hint}`);
    },
    map<Schema extends TSchema>(schema: Schema, value: unknown, path: Path) {
      // Most values are valid, and this check is much faster than the search for differences.
      if (Value.Check(schema, value)) return value as Partial<Static<Schema>>;
      const problems = checkShape(schema, value, path, redact);
      for (const problem of problems) report(problem.path, problem.message);
      return isMap(value) ? withoutBadMembers(value, problems, path) : {};
    },
    eachNamed(value, path, parse, maxChars = MAX_NAME_CHARS) {
      return new Map(
        Object.entries(value ?? {}).map(([name, entry]) => {
          const at = [...path, name];
          if (name.length > maxChars || !MACHINE_NAME.test(name)) {
            const rule = `a machine name is at most ${maxChars} lower-case letters, digits and _, and begins with a letter`;
            report(at, `${nameOf(at)}: ${rule}`);
          }
          return [name, parse(name, entry, at)];
        }),
      );
    },
    parsed(path, value, parse) {
      try {
        return parse(value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        report(path, `${nameOf(path)} ${error.message}`);
        return undefined;
      }
    },
    finish() {
      const [first] = problems;
      if (first !== undefined) throw new ConfigError(first.file ?? '', problems);
    },
  };

  function report(path: Path, message: string): void {
    reported.push(idOf(path));
    problems.push({ ...source.placeOf(path), message: redact(message) });
  }
}

function idOf(path: Path): string {
  return path.map((step) => `${step}\n`).join('');
}
