import { readFile } from 'node:fs/promises';
import { YAML } from 'bun';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, Scalar, visit } from 'yaml';

/** A problem in a configuration file, with its position. */
export interface Problem {
  /** Undefined for a problem of the whole file. */
  line?: number;
  message: string;
  /** The file of the problem, if the configuration consists of several files. */
  file?: string;
}

/** An invalid configuration file, with all of its problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(file: string, problems: Problem[]) {
    const lines = problems
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
      .map((p) => `${p.file ?? file}${p.line === undefined ? '' : `:${p.line}`}: ${p.message}`);
    super(lines.join('\n'));
    this.problems = lines;
  }
}

/** `$NAME` without braces, which is not replaced: a name of at least two capitals. */
const BARE_VARIABLE = /(?<![\\$])\$([A-Z_][A-Z0-9_]+)(?![A-Za-z0-9_])/g;

/** The minimum length of a redacted value. A shorter one is no secret, and would match everywhere. */
const MIN_SECRET_CHARS = 4;

export interface YamlFile {
  file: string;
  value: unknown;
  /** Returns the line (from 1) of the value at a path of keys and indexes, or of the nearest parent. */
  lineOf(path: readonly string[]): number;
  /** The names written as `$NAME` in values, which are not replaced, with their first lines. */
  bareVariables: readonly { name: string; line: number }[];
  /** Removes values of the environment from a message: they may be secrets. */
  redact(message: string): string;
}

/**
 * Reads a YAML file with its line numbers, and replaces `${NAME}` by the value of `lookUp` (`$${NAME}` becomes `${NAME}`); with
 * `replacesBare` also `$NAME`.
 * Throws ConfigError for an unreadable file, invalid YAML or an unset name.
 */
export async function readYamlFile(
  file: string,
  lookUp: (name: string) => string | undefined,
  replacesBare = false,
): Promise<YamlFile> {
  return parseYamlText(file, await readText(file), lookUp, replacesBare);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'this user may not read the file',
};

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const message = UNREADABLE[code] ?? `the file cannot be read (${code})`;
    throw new ConfigError(file, [{ message }]);
  }
}

/**
 * Parses a text like `readYamlFile`; `file` is its name in errors. With `replacesBare`, `$NAME` is replaced, too, if it is
 * set.
 */
export function parseYamlText(
  file: string,
  text: string,
  lookUp: (name: string) => string | undefined,
  replacesBare = false,
): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const replaced = new Map<string, string>();
  const bare = new Map<string, number>();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const problems = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: `invalid YAML: ${error.message}`,
  }));
  if (problems.length === 0) {
    // `resolve` of an alias walks through the whole document.
    const anchors = new Set<string>();
    const noteAnchor = (_key: unknown, { anchor }: Node) => {
      if (anchor !== undefined) anchors.add(anchor);
    };
    visit(document, {
      Collection: noteAnchor,
      Alias(_key, node) {
        if (!anchors.has(node.source)) {
          const message = `*${node.source} refers to nothing; put it in quotes if it is text`;
          problems.push({ line: lineAt(node.range?.[0] ?? 0), message });
        }
      },
      Scalar(key, node) {
        noteAnchor(key, node);
        const read = (name: string) => {
          const value = lookUp(name);
          if (value !== undefined) replaced.set(name, value);
          return value;
        };
        if (replacesBare && key !== 'key') expandBare(node, read);
        if (key !== 'key') noteBareVariables(node);
        const unset = expand(node, read);
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
        (text, [name, value]) => (value.length >= MIN_SECRET_CHARS ? text.replaceAll(value, `\${${name}}`) : text),
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

/** Replaces `$NAME` in a scalar in place. A name that is not set stays: it may be a variable of a script. */
function expandBare(node: Scalar, lookUp: (name: string) => string | undefined): void {
  if (typeof node.value !== 'string') return;
  node.value = node.value.replace(BARE_VARIABLE, (whole, name: string) => lookUp(name) ?? whole);
}

/** Replaces the variables of a scalar in place. Returns the names that are not set. */
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
  // An unquoted `timeout: ${SECONDS}` is a number.
  const isTyped = node.type === Scalar.PLAIN && /^(-?\d+(\.\d+)?|true|false)$/.test(replaced);
  node.value = isTyped ? parse(replaced) : replaced;
  return unset;
}

/**
 * Parses a built-in configuration file; `file` is its name in errors. It uses the native parser, which is thirty times as
 * fast but has no line numbers: these come from the other parser when a message needs them. It replaces no variables.
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
