import type { Database } from '../../database/database.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import {
  completeNode,
  completeTerm,
  type NamedTarget,
  termsOfName,
} from '../../repository/content/lists/complete-target.ts';
import type { Call } from '../../web/call.ts';
import { bundlesOf } from './bundles-of-target.ts';
import { type DescribedTarget, describedTargets, targetText } from './described-targets.ts';
import { type NewTermChoice, newTermChoices } from './new-term-choices.ts';

/** A name with the number of its entity: `Harbour (12)`. */
export const NUMBERED = /\((\d{1,15})\)\s*$/;
const NUMBER = /^\d{1,15}$/;
/** Maximum number of entities of the same name that a message lists. */
const MAX_LISTED = 5;
/** Titles that begin alike, of which one may be the typed one. */
const MAX_TITLES = 100;

/** Returns entities to which a reference may point, and whose names begin with a text or contain it. */
export async function completionsFor(
  call: Call,
  definition: FieldDefinition,
  text: string,
  limit: number,
): Promise<NamedTarget[]> {
  const targets = await targetsFor(call, definition, {
    node: (database) => completeNode(database, text, 4 * limit),
    term: (database, bundles) => completeTerm(database, bundles, text, 2 * limit),
  });
  return targets.slice(0, limit);
}

interface FindTargets {
  node(database: Database): Promise<NamedTarget[]>;
  term(database: Database, bundles: readonly string[]): Promise<NamedTarget[]>;
}

/** Returns those of the found entities to which a reference may point, and which the caller may view. */
async function targetsFor(call: Call, definition: FieldDefinition, find: FindTargets): Promise<NamedTarget[]> {
  const { api, actor } = call;
  const { database } = api.services;
  const bundles = bundlesOf(call, definition);
  const type = definition.targetType;
  if (type !== 'taxonomy_term' && type !== 'node') return [];
  const candidates = type === 'node' ? await find.node(database) : await find.term(database, bundles);
  return candidates.filter(
    (each) => bundles.includes(each.bundle) && api.kinds[type].access.view(actor, each).isAllowed,
  );
}

type TargetResult =
  | { readonly id: number }
  /** `choices` are the vocabularies in which the caller may create a term with the name, if no entity has it. */
  | { readonly problem: string; readonly choices: readonly NewTermChoice[] };

/** Returns the entity that a text names: by its number in parentheses, or by its name. */
export async function resolveTarget(call: Call, definition: FieldDefinition, text: string): Promise<TargetResult> {
  const [, numbered] = NUMBERED.exec(text) ?? [];
  if (numbered !== undefined) return { id: Number(numbered) };
  const name = text.trim();
  const targets = await targetsNamed(call, definition, name);
  const [first] = targets;
  if (first !== undefined && targets.length === 1) return { id: first.id };
  if (first !== undefined) {
    const listed = (await describedTargets(call, definition, targets.slice(0, MAX_LISTED))).map(inWords).join('; ');
    return { problem: `${targets.length} entries are called "${name}". Write one of: ${listed}.`, choices: [] };
  }
  if (NUMBER.test(name)) return { id: Number(name) };
  if (definition.targetType !== 'taxonomy_term')
    return { problem: `Nothing is called "${name}". Choose a name that exists.`, choices: [] };
  const { maxLength = Number.POSITIVE_INFINITY } =
    call.api.kinds.taxonomy_term.baseFieldNamed.get('name')?.definition ?? {};
  if ([...name].length > maxLength)
    return { problem: `The name may not be longer than ${maxLength} characters.`, choices: [] };
  const choices = newTermChoices(call, definition);
  const advice =
    choices.length > 0
      ? 'Choose another name, or create it.'
      : 'You may not create names here: choose one that exists.';
  return { problem: `Nothing is called "${name}". ${advice}`, choices };
}

/** Returns a target with its number, years and items: names alone do not tell it from others. */
function inWords(target: DescribedTarget): string {
  const { items } = target;
  const count = items === undefined ? undefined : `${items} ${items === 1 ? 'item' : 'items'}`;
  return [targetText(target), target.years, count].filter(Boolean).join(', ');
}

/** Returns the entities with a name to which a reference may point, and which the caller may view. */
export function targetsNamed(call: Call, definition: FieldDefinition, name: string): Promise<NamedTarget[]> {
  return targetsFor(call, definition, {
    node: async (database) => {
      const nodes = await completeNode(database, name, MAX_TITLES);
      return nodes.filter(({ label }) => label.toLowerCase() === name.toLowerCase());
    },
    term: (database, bundles) => termsOfName(database, bundles, name, MAX_TITLES),
  });
}
