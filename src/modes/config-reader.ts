import type { TSchema } from '@sinclair/typebox';
import { checkShape, nameOf, withoutBadMembers } from '../base/check-shape.ts';
import { ConfigError, type Problem, type YamlFile } from '../base/yaml-file.ts';

/** Reads the members of a configuration file, and gathers every problem on the way. */
export interface ConfigReader {
  report(path: readonly string[], message: string): void;
  /** A map without the members that differ from its schema, which are reported. */
  map<Shape>(schema: TSchema, value: unknown, path: readonly string[]): Partial<Shape>;
  /** What a parser makes of a text; its RangeError, which says what the text must be, becomes a problem. */
  parsed<T>(path: readonly string[], text: string, parse: (text: string) => T): T | undefined;
  /** Throws ConfigError if there were problems. */
  finish(): void;
}

/** A reader of a file, which finds no problem until it is asked to. */
export function createConfigReader(source: YamlFile): ConfigReader {
  const problems: Problem[] = [];
  const report = (path: readonly string[], message: string) =>
    void problems.push({ line: source.lineOf(path), message: source.redact(message) });
  return {
    report,
    map(schema, value, path) {
      const found = checkShape(schema, value, path, source.redact);
      for (const problem of found) report(problem.path, problem.message);
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isMap ? withoutBadMembers(value, found, path) : {};
    },
    parsed(path, text, parse) {
      try {
        return parse(text);
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
