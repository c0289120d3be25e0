import type { RE2JS } from 're2js';
import { ItemSkipped } from './item-skipped.ts';

/** A text to find, and the one that takes its place. */
export interface TextReplacement {
  readonly find: string;
  readonly replacement: string;
  /** True if `find` is a regular expression (RE2), and the replacement has its groups as `$1`, `$<name>` and `$&`. */
  readonly isPattern: boolean;
  readonly ignoresCase: boolean;
}

/** An invalid pattern or replacement, with a sentence for its user. */
export class PatternProblem extends Error {
  override readonly name = 'PatternProblem';
  readonly field: 'find' | 'replacement';

  constructor(field: PatternProblem['field'], message: string) {
    super(message);
    this.field = field;
  }
}

/** Maximum length of a pattern, in characters. */
export const MAX_FIND_CHARS = 1_000;
/** Maximum length of a replaced text, in characters. */
const MAX_RESULT_CHARS = 2_000_000;
/** Maximum number of instructions of a pattern times the characters of a text: the steps of one search of the text. */
const MAX_STEPS = 10_000_000;
/**
 * Maximum processor time for one text, in milliseconds: the searches of all matches may take many times that of one. A busy
 * machine gives a process less than the time that passes.
 */
const MAX_MS = 200;

/**
 * Returns a function that replaces all matches in a text, in time that grows with the text and never backtracks. It throws
 * ItemSkipped for a text that takes too long or grows too much. Throws PatternProblem for an invalid pattern or replacement.
 */
export function createTextReplacer({
  find,
  replacement,
  isPattern,
  ignoresCase,
}: TextReplacement): (text: string) => string {
  const pattern = compile(isPattern ? find : engine().quote(find), ignoresCase);
  const parts = isPattern ? partsOf(replacement, pattern) : [replacement];
  const size = pattern.programSize();
  return (text) => {
    if (text.length * size > MAX_STEPS) throw new ItemSkipped('Its text is too long for this pattern.');
    const begun = { at: performance.now(), used: process.cpuUsage() };
    const matcher = pattern.matcher(text);
    const pieces: string[] = [];
    let [last, length] = [0, text.length];
    while (matcher.find()) {
      // `.*` replaces a text once, and not its end a second time.
      if (pieces.length > 0 && matcher.start() === last && matcher.end() === last) continue;
      const next = parts.map((part) => (typeof part === 'string' ? part : (matcher.group(part.group) ?? ''))).join('');
      pieces.push(text.slice(last, matcher.start()), next);
      last = matcher.end();
      length += next.length;
      if (length > MAX_RESULT_CHARS) throw new ItemSkipped('Its text would become too long.');
      if (performance.now() - begun.at > MAX_MS && processorMs(begun.used) > MAX_MS)
        throw new ItemSkipped('The pattern takes too long in its text.');
    }
    return pieces.length === 0 ? text : pieces.join('') + text.slice(last);
  };
}

/** Returns the processor time of this process since a measurement, in milliseconds. */
function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** Returns the engine of patterns, which is not held in memory without need. */
function engine(): typeof RE2JS {
  const library: typeof import('re2js') = require('re2js');
  return library.RE2JS;
}

function compile(pattern: string, ignoresCase: boolean): RE2JS {
  try {
    const patterns = engine();
    return patterns.compile(pattern, ignoresCase ? patterns.CASE_INSENSITIVE : 0);
  } catch (error) {
    // Every error of the parser names the invalid part.
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    throw new PatternProblem('find', `The pattern is invalid: ${reason}.`);
  }
}

type Part = string | { readonly group: number | string };

/** A group in a replacement, or a dollar sign written twice. */
const GROUP = /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g;

function partsOf(replacement: string, pattern: RE2JS): Part[] {
  const parts: Part[] = [];
  let last = 0;
  for (const match of replacement.matchAll(GROUP)) {
    const [whole, dollar, all, number, name] = match;
    parts.push(replacement.slice(last, match.index));
    last = match.index + whole.length;
    if (dollar !== undefined) parts.push('$');
    else if (all !== undefined) parts.push({ group: 0 });
    else if (number !== undefined) parts.push({ group: numbered(Number(number), pattern) });
    else parts.push({ group: named(name ?? '', pattern) });
  }
  return [...parts, replacement.slice(last)];
}

function numbered(group: number, pattern: RE2JS): number {
  if (group <= pattern.groupCount()) return group;
  throw new PatternProblem('replacement', `The pattern has no group ${group}. Write $$ for a dollar sign.`);
}

function named(group: string, pattern: RE2JS): string {
  if (Object.hasOwn(pattern.namedGroups(), group)) return group;
  throw new PatternProblem('replacement', `The pattern has no group with the name "${group}".`);
}
