import type { Static } from '@sinclair/typebox';
import type { MediaType } from '../model/content-model.ts';
import type { Reading } from '../model/reading.ts';
import { parseCondition } from './parse-condition.ts';
import type { DerivativeAction, DerivativeContext } from './rules.ts';
import { ContextSchema } from './rules-schema.ts';

/** What a context can name. */
export interface KnownNames {
  readonly actions: ReadonlyMap<string, DerivativeAction>;
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
}

/** Reads a context, without the built-in actions that were left out. */
export function parseContext(
  reading: Reading,
  known: KnownNames,
  name: string,
  value: unknown,
  path: string[],
): DerivativeContext {
  const file: Partial<Static<typeof ContextSchema>> = reading.checkedMap(ContextSchema, value, path);
  return {
    name,
    label: file.label ?? '',
    isEnabled: file.enabled ?? true,
    requiresAll: file.require_all ?? true,
    conditions: (file.conditions ?? []).flatMap(
      (each, index) => parseCondition(reading, known.mediaTypes, each, [...path, 'conditions', `${index}`]) ?? [],
    ),
    actions: (file.actions ?? []).filter((action, index) =>
      isKnown(reading, known.actions, action, [...path, 'actions', `${index}`]),
    ),
  };
}

function isKnown(reading: Reading, actions: KnownNames['actions'], name: string, path: string[]): boolean {
  if (actions.has(name)) return true;
  const at = ['actions', name];
  // A built-in context that names a built-in action which was left out is no mistake of the user's.
  const isMistake = !reading.isBuiltIn(path) && !reading.hasProblem(at);
  if (isMistake || reading.isRemoved(at)) {
    reading.reportUnknown(path, 'action', name, actions.keys(), 'actions');
  }
  return false;
}
