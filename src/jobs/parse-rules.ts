import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import { mergeFiles, type Rule } from '../model/merge-files.ts';
import { createReading, type Reading } from '../model/reading.ts';
import { parseAction } from './parse-action.ts';
import { parseContext } from './parse-context.ts';
import type { DerivativeAction, DerivativeRules, KnownPlaces } from './rules.ts';
import { RulesFileSchema } from './rules-schema.ts';

/** Islandora's names of actions are whole sentences. */
const MAX_NAME_CHARS = 64;

/** Actions and contexts name by name, and of each, and of `of_members` below, the members that are given. */
const RULES_MERGE_RULE: Rule = {
  members: { actions: { each: { members: { of_members: { members: {} } } } }, contexts: { each: { members: {} } } },
};

/**
 * Turns the default file and the user's own, laid over it, into checked rules. Throws `ConfigError` with every
 * problem of both at once. A built-in action that the content model cannot hold is left out.
 */
export function parseRules(known: KnownPlaces, defaults: YamlFile, user?: YamlFile): DerivativeRules {
  const layers = mergeFiles([defaults], user, RULES_MERGE_RULE);
  const reading = createReading(layers);
  const file = reading.checkedMap(RulesFileSchema, layers.value, []);
  const parsed = reading.eachNamed(
    file.actions,
    ['actions'],
    (name, value, path) => {
      const action = parseAction(reading, known, name, value, path);
      suggestName(reading, defaults, path);
      return action;
    },
    MAX_NAME_CHARS,
  );
  const actions = new Map<string, DerivativeAction>();
  for (const [name, action] of parsed) if (action !== undefined) actions.set(name, action);
  const contexts = reading.eachNamed(
    file.contexts,
    ['contexts'],
    (name, value, path) => {
      const context = parseContext(reading, { actions, mediaTypes: known.mediaTypes }, name, value, path);
      suggestName(reading, defaults, path);
      return context;
    },
    MAX_NAME_CHARS,
  );
  reading.finish();
  return { actions, contexts: [...contexts.values()] };
}

/** A known name with a slip of the pen is a new one that lacks nearly everything: says which one may be meant. */
function suggestName(reading: Reading, defaults: YamlFile, path: readonly string[]): void {
  const [kind = '', name = ''] = path;
  const known = Object.keys((defaults.value as Readonly<Record<string, object>>)[kind] ?? {});
  if (known.includes(name) || !reading.hasProblem(path)) return;
  const guess = nearest(name, known);
  if (guess !== undefined)
    reading.report(path, `${nameOf(path)} is not in the default rules, and new then; did you mean ${guess}?`);
}
