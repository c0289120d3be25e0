import { nearest } from '../base/nearest.ts';
import type { YamlFile } from '../base/yaml-file.ts';

/** A line of a configuration file. */
interface Place {
  file: string;
  line: number;
}

/** A problem of the merge. */
interface LayerProblem {
  path: string[];
  message: string;
}

/** Several configuration files as one value, with the source of each part. */
export interface Layers {
  readonly value: Tree;
  readonly problems: readonly LayerProblem[];
  placeOf(path: readonly string[]): Place;
  /** Returns true if the value at a path is built in, not from the user's file. */
  isBuiltIn(path: readonly string[]): boolean;
  /** Returns true if the user's file removes the value at a path with null. */
  isRemoved(path: readonly string[]): boolean;
  redact(message: string): string;
}

export type Tree = Record<string, unknown>;

/**
 * How a part of the user's file is merged over the default: it replaces the part; it replaces a field if it has a type;
 * name by name, where null removes; or member by member.
 */
export type Rule = 'replace' | 'field' | { each: Rule } | { members: Record<string, Rule> };

/** Merges the user's file over the default files, which share no top-level key. `rule` applies to a whole file. */
export function mergeFiles(defaults: readonly YamlFile[], user: YamlFile | undefined, rule: Rule): Layers {
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

const BUNDLES: Rule = { each: { members: { fields: { each: 'field' } } } };

/** The rule by which the user's content model is merged over the default one. */
export const MODEL_MERGE_RULE: Rule = {
  members: {
    text_formats: { each: 'replace' },
    lists: { each: { each: 'replace' } },
    node_types: BUNDLES,
    media_types: BUNDLES,
    vocabularies: BUNDLES,
    paragraph_types: BUNDLES,
    user_fields: { each: 'field' },
    terms: { each: 'replace' },
    roles: { each: { members: {} } },
    rest: { each: { each: 'replace' } },
    rdf: {
      members: {
        prefixes: { each: 'replace' },
        bundles: { each: { members: { fields: { each: 'replace' } } } },
      },
    },
    signposting: { each: { each: 'replace' } },
    harvest: {
      members: {
        tables: { each: { each: 'replace' } },
        formats: { each: { members: { elements: { each: 'replace' }, defaults: { each: 'replace' } } } },
      },
    },
    views: { each: 'replace' },
    search: { members: { weights: { each: 'replace' } } },
    models: { each: { members: {} } },
  },
};
