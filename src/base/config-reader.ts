import type { TSchema } from '@sinclair/typebox';
import { checkShape, nameOf, withoutBadMembers } from './check-shape.ts';
import { ConfigError, type Problem, type YamlFile } from './yaml-file.ts';

/** The keys that lead to a member of a file. */
export type Path = readonly string[];

/** Reads the members of a configuration file and collects its problems and warnings. */
export interface ConfigReader {
  readonly warnings: readonly string[];
  warn(warning: string): void;
  report(path: Path, message: string): void;
  /** Returns a map without the members that differ from its schema. Reports those. */
  map<Shape>(schema: TSchema, value: unknown, path: Path): Partial<Shape>;
  /** Parses a value. Reports a RangeError of the parser, whose message says what the value must be. */
  parsed<Value, T>(path: Path, value: Value, parse: (value: Value) => T): T | undefined;
  /** Throws ConfigError with all reported problems, if any. */
  finish(): void;
}

/** Creates the reader of a file. */
export function createConfigReader(source: YamlFile): ConfigReader {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const report = (path: Path, message: string) =>
    void problems.push({ line: source.lineOf(path), message: source.redact(message) });
  return {
    warnings,
    warn: (warning) => void warnings.push(warning),
    report,
    map(schema, value, path) {
      const problems = checkShape(schema, value, path, source.redact);
      for (const problem of problems) report(problem.path, problem.message);
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isMap ? withoutBadMembers(value, problems, path) : {};
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
      if (problems.length > 0) throw new ConfigError(source.file, problems);
    },
  };
}
