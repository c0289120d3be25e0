import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { type ConfigReader, createConfigReader } from '../base/config-reader.ts';
import { mergeFiles, type Rule } from '../base/merge-files.ts';
import { nearest } from '../base/nearest.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import type { MediaType } from '../model/content-model.ts';
import { parseAction } from './parse-action.ts';
import { parseCondition } from './parse-condition.ts';
import type { DerivativeAction, DerivativeContext, DerivativePlaces, DerivativeRules } from './rules.ts';
import { ContextSchema, RulesFileSchema } from './rules-schema.ts';

/** Maximum length of a name. Islandora's names of actions are whole sentences. */
const MAX_NAME_CHARS = 64;

/** Merges actions and contexts by name, and each of them, and `of_members`, member by member. */
const RULES_MERGE_RULE: Rule = {
  members: { actions: { each: { members: { of_members: { members: {} } } } }, contexts: { each: { members: {} } } },
};

/**
 * Merges the user's file over the default file, and validates the rules. Throws `ConfigError` with all problems of both.
 * Drops a built-in action whose derivatives the content model cannot hold.
 */
export function parseRules(known: DerivativePlaces, defaults: YamlFile, user?: YamlFile): DerivativeRules {
  const layers = mergeFiles([defaults], user, RULES_MERGE_RULE);
  const reader = createConfigReader(layers);
  const file = reader.map(RulesFileSchema, layers.value, []);
  const parsed = reader.eachNamed(
    file.actions,
    ['actions'],
    (name, value, path) => {
      const action = parseAction(reader, known, name, value, path);
      suggestName(reader, defaults, path);
      return action;
    },
    MAX_NAME_CHARS,
  );
  const actions = new Map<string, DerivativeAction>();
  for (const [name, action] of parsed) if (action !== undefined) actions.set(name, action);
  const contexts = reader.eachNamed(
    file.contexts,
    ['contexts'],
    (name, value, path) => {
      const context = parseContext(reader, { actions, mediaTypes: known.mediaTypes }, name, value, path);
      suggestName(reader, defaults, path);
      return context;
    },
    MAX_NAME_CHARS,
  );
  reader.finish();
  return { actions, contexts: [...contexts.values()] };
}

/** Suggests the known name for a misspelled one, which counts as a new entry without its required members. */
function suggestName(reader: ConfigReader, defaults: YamlFile, path: readonly string[]): void {
  const [kind = '', name = ''] = path;
  const known = Object.keys((defaults.value as Readonly<Record<string, object>>)[kind] ?? {});
  if (known.includes(name) || !reader.hasProblem(path)) return;
  const guess = nearest(name, known);
  if (guess !== undefined) reader.report(path, `${nameOf(path)} is not in the default rules; did you mean ${guess}?`);
}

/** The names that a context can use. */
interface ContextNames {
  readonly actions: ReadonlyMap<string, DerivativeAction>;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
}

/** Reads a context, without the dropped built-in actions. */
function parseContext(
  reader: ConfigReader,
  known: ContextNames,
  name: string,
  value: unknown,
  path: string[],
): DerivativeContext {
  const file: Partial<Static<typeof ContextSchema>> = reader.map(ContextSchema, value, path);
  return {
    name,
    label: file.label ?? '',
    isEnabled: file.enabled ?? true,
    requiresAll: file.require_all ?? true,
    conditions: (file.conditions ?? []).flatMap(
      (each, index) => parseCondition(reader, known.mediaTypes, each, [...path, 'conditions', `${index}`]) ?? [],
    ),
    actions: (file.actions ?? []).filter((action, index) =>
      isKnown(reader, known.actions, action, [...path, 'actions', `${index}`]),
    ),
  };
}

function isKnown(reader: ConfigReader, actions: ContextNames['actions'], name: string, path: string[]): boolean {
  if (actions.has(name)) return true;
  const at = ['actions', name];
  // A built-in context may name a built-in action that was dropped.
  const isProblem = !reader.isBuiltIn(path) && !reader.hasProblem(at);
  if (isProblem || reader.isRemoved(at)) reader.reportUnknown(path, 'action', name, actions.keys(), 'actions');
  return false;
}
