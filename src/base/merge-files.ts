import type { ConfigSource, PathProblem } from './config-reader.ts';
import { nearest } from './nearest.ts';
import type { YamlFile } from './yaml-file.ts';

/** Several configuration files as one value, with the source of each part. */
interface MergedFiles extends ConfigSource {
  readonly value: Tree;
}

export type Tree = Record<string, unknown>;

/**
 * How a part of the user's file is merged over the default: it replaces the part; it replaces a field if it has a type;
 * name by name, where null removes; or member by member.
 */
export type Rule = 'replace' | 'field' | { each: Rule } | { members: Record<string, Rule> };

/** Merges the user's file over the default files, which share no top-level key. `rule` applies to a whole file. */
export function mergeFiles(defaults: readonly YamlFile[], user: YamlFile | undefined, rule: Rule): MergedFiles {
  const base: Tree = Object.assign({}, ...defaults.map((file) => file.value));
  const given = new Set<string>();
  const removed = new Set<string>();
  const problems: PathProblem[] = [];
  const value = user === undefined ? base : merge(base, user.value ?? {}, rule, []);
  return {
    value: isTree(value) ? value : base,
    problems,
    isBuiltIn: (path) => !path.some((_, index) => given.has(idOf(path.slice(0, index + 1)))),
    isRemoved: (path) => removed.has(idOf(path)),
    redact: (message) => user?.redact(message) ?? message,
    placeOf(path) {
      const isInUsersFile = !this.isBuiltIn(path) || this.isRemoved(path);
      const file = isInUsersFile ? user : defaults.find((file) => Object.hasOwn(file.value as Tree, path[0] ?? ''));
      const at = file ?? user ?? defaults[0];
      return { file: at?.file ?? '', line: at?.lineOf(path) ?? 1 };
    },
  };

  function merge(below: unknown, over: unknown, rule: Rule, path: string[]): unknown {
    const isWhole = rule === 'replace' || (rule === 'field' && isTree(over) && Object.hasOwn(over, 'type'));
    if (isWhole || !isTree(below) || !isTree(over)) {
      if (!isTree(over) && path.length === 0) problems.push({ path, message: 'the file must be a map of keys' });
      given.add(idOf(path));
      return over;
    }
    // Without a prototype, so that a key __proto__ is an ordinary key.
    const merged: Tree = Object.assign(Object.create(null), below);
    for (const [key, value] of Object.entries(over)) {
      const at = [...path, key];
      const ruleBelow = ruleFor(rule, key);
      const known = Object.hasOwn(below, key) ? below[key] : undefined;
      // A heading with only comments under it is null.
      if (value === null && ruleBelow !== 'replace' && !isByName(rule)) continue;
      if (value !== null) merged[key] = merge(known, value, ruleBelow, at);
      else {
        removed.add(idOf(at));
        if (known === undefined && isByName(rule)) reportUnknown(at, Object.keys(below));
        delete merged[key];
      }
    }
    return merged;
  }

  function reportUnknown(path: string[], known: string[]): void {
    const guess = nearest(path.at(-1) ?? '', known);
    const hint = guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
    problems.push({ path, message: `${path.join('.')}: there is nothing to remove; ${hint}` });
  }
}

function isByName(rule: Rule): boolean {
  return typeof rule === 'object' && 'each' in rule;
}

function ruleFor(rule: Rule, key: string): Rule {
  if (typeof rule !== 'object') return 'replace';
  if ('each' in rule) return rule.each;
  return (Object.hasOwn(rule.members, key) ? rule.members[key] : undefined) ?? 'replace';
}

function idOf(path: readonly string[]): string {
  return path.join('\n');
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
