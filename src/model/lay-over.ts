import { nearest } from '../base/nearest.ts';
import type { YamlFile } from '../base/yaml-file.ts';

/** A line of a configuration file. */
export interface Place {
  file: string;
  line: number;
}

/** A mistake that shows while one file is laid over the others. */
export interface LayerProblem {
  path: string[];
  message: string;
}

/** Several configuration files as one value that remembers where each part came from. */
export interface Layers {
  readonly value: Tree;
  readonly problems: readonly LayerProblem[];
  placeOf(path: readonly string[]): Place;
  /** Whether the value at a path is part of the program, and not of the user's file. */
  isBuiltIn(path: readonly string[]): boolean;
  /** Whether the user's file took something away there with a null. */
  isRemoved(path: readonly string[]): boolean;
  redact(message: string): string;
}

export type Tree = Record<string, unknown>;

/**
 * How a part of the user's file goes over the default: as a whole; as a field (whole, if it says its type);
 * name by name, where null removes; or member by member.
 */
export type Rule = 'replace' | 'field' | { each: Rule } | { members: Record<string, Rule> };

/** Lays the user's file over the default ones, which have no top-level key in common. `rule` is that of a whole file. */
export function layOver(defaults: readonly YamlFile[], user: YamlFile | undefined, rule: Rule): Layers {
  const base: Tree = Object.assign({}, ...defaults.map((file) => file.value));
  const given = new Set<string>();
  const removed = new Set<string>();
  const problems: LayerProblem[] = [];
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
    // Without a prototype, so that a key __proto__ is a key like any other.
    const merged: Tree = Object.assign(Object.create(null), below);
    for (const [key, value] of Object.entries(over)) {
      const at = [...path, key];
      const ruleBelow = ruleFor(rule, key);
      const known = Object.hasOwn(below, key) ? below[key] : undefined;
      // A heading with nothing but comments under it says nothing.
      if (value === null && ruleBelow !== 'replace' && !isByName(rule)) continue;
      if (value !== null) merged[key] = merge(known, value, ruleBelow, at);
      else {
        removed.add(idOf(at));
        if (known === undefined && isByName(rule)) reportNothingThere(at, Object.keys(below));
        delete merged[key];
      }
    }
    return merged;
  }

  function reportNothingThere(path: string[], known: string[]): void {
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
