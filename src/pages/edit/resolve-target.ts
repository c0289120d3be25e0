import type { Database } from '../../database/database.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import {
  completeNode,
  completeTerm,
  type NamedTarget,
  termsOfName,
} from '../../repository/content/lists/complete-target.ts';
import type { Call } from '../../web/call.ts';

/** A name with the number of its entity: `Harbour (12)`. */
export const NUMBERED = /\((\d{1,15})\)\s*$/;
const NUMBER = /^\d{1,15}$/;
/** Maximum number of entities of the same name that a message lists. */
const MAX_LISTED = 5;
/** Titles that begin alike, of which one may be the typed one. */
const MAX_TITLES = 100;

/** Returns the text of a target in a form. */
export function targetText({ label, id }: Pick<NamedTarget, 'label' | 'id'>): string {
  return `${label} (${id})`;
}

/** Returns the bundles to which a reference may point. */
export function bundlesOf({ api }: Call, { targetType, targetBundles }: FieldDefinition): readonly string[] {
  return targetBundles ?? [...(api.kinds[targetType as LinkedType]?.bundles.keys() ?? [])];
}

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
  /** `creatable` is true for a name without an entity, where the field creates terms. */
  | { readonly problem: string; readonly creatable: boolean };

/** Returns the entity that a text names: by its number in parentheses, or by its name. */
export async function resolveTarget(call: Call, definition: FieldDefinition, text: string): Promise<TargetResult> {
  const [, numbered] = NUMBERED.exec(text) ?? [];
  if (numbered !== undefined) return { id: Number(numbered) };
  const name = text.trim();
  const targets = await targetsNamed(call, definition, name);
  const [first] = targets;
  if (first !== undefined && targets.length === 1) return { id: first.id };
  if (first !== undefined) {
    const listed = targets.slice(0, MAX_LISTED).map(targetText).join(', ');
    return { problem: `${targets.length} entries are called "${name}". Write one of: ${listed}.`, creatable: false };
  }
  if (NUMBER.test(name)) return { id: Number(name) };
  const creatable = newTermBundle(call, definition) !== undefined;
  const advice = creatable ? 'Choose another name, or create it.' : 'Choose a name that exists.';
  return { problem: `Nothing is called "${name}". ${advice}`, creatable };
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

/** Returns the vocabulary in which a form may create a term for a field. Undefined if it may not. */
export function newTermBundle(call: Call, definition: FieldDefinition): string | undefined {
  const { targetType, autoCreate, autoCreateBundle } = definition;
  if (targetType !== 'taxonomy_term' || !autoCreate) return undefined;
  const bundle = autoCreateBundle ?? bundlesOf(call, definition)[0];
  const isAllowed = bundle !== undefined && call.api.kinds.taxonomy_term.access.create(call.actor, bundle).isAllowed;
  return isAllowed ? bundle : undefined;
}
