import { readFile } from 'node:fs/promises';
import { YAML } from 'bun';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, Scalar, visit } from 'yaml';

/** One thing that is wrong in a configuration file, and where. */
export interface Problem {
  line: number;
  message: string;
  /** Where several files make one configuration: the one it is in, if not the one that was named. */
  file?: string;
}

/** A configuration file that cannot be used. Carries all of its problems, not just the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(file: string, problems: Problem[]) {
    const lines = problems.toSorted((a, b) => a.line - b.line).map((p) => `${p.file ?? file}:${p.line}: ${p.message}`);
    super(lines.join('\n'));
    this.problems = lines;
  }
}

/** `$NAME` without braces, which a shell would replace: a name in capitals of at least two characters. */
const BARE_VARIABLE = /(?<![\\$])\$([A-Z_][A-Z0-9_]+)(?![A-Za-z0-9_])/g;

/** A shorter value from the environment is no secret, and would be found everywhere. */
const MIN_SECRET_CHARS = 4;

export interface YamlFile {
  file: string;
  value: unknown;
  /** The line (from 1) of the value at a path of keys and indexes, or of the nearest thing around it. */
  lineOf(path: readonly string[]): number;
  /** The names written as `$NAME` in values, which are not replaced: each once, with its first line. */
  bareVariables: readonly { name: string; line: number }[];
  /** A message without the values that came from the environment: they may be secrets. */
  redact(message: string): string;
}

/**
 * Reads a YAML file, replaces `${NAME}` by what `lookUp` knows (`$${NAME}` stays as `${NAME}`), and
 * keeps the lines. Throws `ConfigError` for a file that cannot be read, bad YAML or an unset name.
 */
export async function readYamlFile(file: string, lookUp: (name: string) => string | undefined): Promise<YamlFile> {
  return parseYamlText(file, await readText(file), lookUp);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})`;
    throw new ConfigError(file, [{ line: 1, message: why }]);
  }
}

/** As `readYamlFile`, of a text that is at hand; `file` is what errors call it. */
export function parseYamlText(file: string, text: string, lookUp: (name: string) => string | undefined): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const replaced = new Map<string, string>();
  const bare = new Map<string, number>();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const problems = document.errors.map((error) => ({ line: lineAt(error.pos[0]), message: error.message }));
  if (problems.length === 0) {
    visit(document, {
      Alias(_key, node) {
        if (node.resolve(document) === undefined) {
          const message = `*${node.source} refers to nothing; put it in quotes if it is text`;
          problems.push({ line: lineAt(node.range?.[0] ?? 0), message });
        }
      },
      Scalar(key, node) {
        if (key !== 'key') noteBareVariables(node);
        const unset = expand(node, (name) => {
          const found = lookUp(name);
          if (found !== undefined) replaced.set(name, found);
          return found;
        });
        for (const name of unset) {
          const message = `the environment variable ${name} is not set`;
          problems.push({ line: lineAt(node.range?.[0] ?? 0), message });
        }
      },
    });
  }
  if (problems.length > 0) throw new ConfigError(file, problems);
  return {
    file,
    value: toValue(),
    lineOf: (path) => lineAt(offsetOf(document.contents, path)),
    bareVariables: [...bare].map(([name, line]) => ({ name, line })),
    redact: (message) =>
      [...replaced].reduce(
        (text, [name, found]) => (found.length >= MIN_SECRET_CHARS ? text.replaceAll(found, `\${${name}}`) : text),
        message,
      ),
  };

  function noteBareVariables({ value, range }: Scalar): void {
    if (typeof value !== 'string') return;
    for (const [, name = ''] of value.matchAll(BARE_VARIABLE))
      if (!bare.has(name)) bare.set(name, lineAt(range?.[0] ?? 0));
  }

  function toValue(): unknown {
    try {
      return document.toJS();
    } catch (error) {
      throw new ConfigError(file, [{ line: 1, message: (error as Error).message }]);
    }
  }

  function offsetOf(root: Node | null, path: readonly string[]): number {
    let offset = root?.range?.[0] ?? 0;
    let node: unknown = root;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === step);
        if (pair === undefined) return offset;
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      }
    }
    return offset;
  }
}

/** Replaces the variables of one scalar in place; answers the names that are not set. */
function expand(node: Scalar, lookUp: (name: string) => string | undefined): string[] {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return [];
  const unset: string[] = [];
  const replaced = node.value.replace(
    /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (whole, escaped: string, name: string) => {
      if (escaped) return whole.slice(1);
      const value = lookUp(name);
      if (value === undefined) unset.push(name);
      return value ?? '';
    },
  );
  // An unquoted `timeout: ${SECONDS}` means a number, as if it had been written there.
  const isTyped = node.type === Scalar.PLAIN && /^(-?\d+(\.\d+)?|true|false)$/.test(replaced);
  node.value = isTyped ? parse(replaced) : replaced;
  return unset;
}

/**
 * A configuration file that is part of the program; `file` is what errors call it. The native parser is some
 * thirty times as fast but knows no lines, and every start reads these files. So lines are looked up by the
 * other one, and only when a message needs them.
 */
export function embeddedYaml(file: string, text: string): YamlFile {
  let withLines: YamlFile | undefined;
  return {
    file,
    value: YAML.parse(text),
    lineOf(path) {
      withLines ??= parseYamlText(file, text, () => undefined);
      return withLines.lineOf(path);
    },
    bareVariables: [],
    redact: (message) => message,
  };
}
