import type { YamlFile } from '../base/yaml-file.ts';
import { layOver, type Rule } from '../model/lay-over.ts';
import { createReading } from '../model/reading.ts';
import type { KnownPlaces } from './known-places.ts';
import { parseAction } from './parse-action.ts';
import { parseContext } from './parse-context.ts';
import type { DerivativeAction, DerivativeRules } from './rules.ts';
import { RulesFileSchema } from './rules-schema.ts';

/** Islandora's names of actions are whole sentences. */
const MAX_NAME_CHARS = 64;

/** Actions and contexts name by name, and of each the members that are given. */
const RULES_LAYERS: Rule = {
  members: { actions: { each: { members: {} } }, contexts: { each: { members: {} } } },
};

/**
 * Turns the default file and the user's own, laid over it, into checked rules. Throws `ConfigError` with every
 * problem of both at once. A built-in action that the content model cannot hold is left out.
 */
export function parseRules(known: KnownPlaces, defaults: YamlFile, user?: YamlFile): DerivativeRules {
  const layers = layOver([defaults], user, RULES_LAYERS);
  const reading = createReading(layers);
  const file = reading.checkedMap(RulesFileSchema, layers.value, []);
  const parsed = reading.eachNamed(
    file.actions,
    ['actions'],
    (name, value, path) => parseAction(reading, known, name, value, path),
    MAX_NAME_CHARS,
  );
  const actions = new Map<string, DerivativeAction>();
  for (const [name, action] of parsed) if (action !== undefined) actions.set(name, action);
  const contexts = reading.eachNamed(
    file.contexts,
    ['contexts'],
    (name, value, path) => parseContext(reading, { actions, mediaTypes: known.mediaTypes }, name, value, path),
    MAX_NAME_CHARS,
  );
  reading.finish();
  return { actions, contexts: [...contexts.values()] };
}
