import { unprocessable } from '../../../base/errors.ts';
import type { JsonValue } from '../../../base/json.ts';
import { bodyProblem } from '../../../field-types/body-limits.ts';
import { isEqualValue } from '../../../field-types/equal-items.ts';
import type { Fields, FieldTypes, Violation } from '../../../field-types/field-type.ts';
import { isBadDateMessage } from '../../../field-types/moment.tsx';
import { parseItems } from '../../../field-types/parse-items.ts';
import { completeItems, validateField } from '../../../field-types/validate-field.ts';
import { MISSING, NOT_A_CHOICE } from '../../../field-types/violation.ts';
import type { Bundle, ContentModel, FieldDefinition, FieldValues, Item } from '../../../model/content-model.ts';
import { permissionOf } from '../../../model/permissions.ts';
import type { Actor } from '../../actor.ts';
import { fieldDenied, validationFailed } from '../../errors.ts';
import { type Draft, refusedChange } from '../base-field.ts';
import { type ContentKind, definitionOf } from '../kinds.ts';
import type { Services } from '../services.ts';
import { requireChangeableNodes } from './check-media-nodes.ts';
import { actorThere, requirePlaces } from './check-places.ts';
import type { Host } from './paragraph-references.ts';
import { type ResolveOptions, resolveReferences, type SubmittedField } from './resolve-references.ts';
import type { Targets } from './targets.ts';
import { circularParents } from './term-hierarchy.ts';

/** Submitted items by field name, as `parseItems` returns them. */
export type SubmittedValues = ReadonlyMap<string, Item[]>;

/** Valid values, and the targets of their references. */
export interface CheckedValues {
  readonly submitted: ReadonlyMap<string, SubmittedField>;
  readonly targets: Targets;
}

/** The entity with which submitted values are compared. */
export interface CurrentContent {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly draft: Draft;
  /** For new content, the defaults. */
  readonly values: FieldValues;
  readonly isNew: boolean;
}

/**
 * Checks submitted values in the order of the API (spec: rest-behaviour, 1.1). Skips unchanged fields. Throws for an
 * unreadable body, date or UUID (422), then for a field that the actor may not set (403), then with all violations
 * (422).
 */
export async function checkValues(
  services: Services,
  actor: Actor,
  current: CurrentContent,
  values: SubmittedValues,
  options: ResolveOptions = {},
): Promise<CheckedValues> {
  const differing: SubmittedField[] = [];
  for (const [name, items] of values) {
    const definition = definitionOf(current, name);
    if (definition === undefined || isUnchanged(current, definition, items, services.fields.types)) continue;
    const stored = current.isNew ? [] : storedItems(current, definition);
    differing.push({ definition: inBundle(current, definition), items, stored });
  }
  const problem = bodyProblem(differing, services.fields.types);
  if (problem !== undefined) throw unprocessable(problem);
  const { violations, targets } = await resolveReferences(services, actor, differing, {
    host: hostOf(current),
    ...options,
  });
  await addCircularParents(services, current, differing, violations);
  const there = actorThere(actor, current, differing, targets);
  const all = violationsOf(services.fields, current, differing, violations);
  for (const { definition, items } of differing)
    if (services.fields.types.of(definition).effort === 'markup')
      all.push(...refusedFormats(services.model, there, definition, items, storedItems(current, definition)));
  const badDate = all.find(({ message }) => isBadDateMessage(message));
  if (badDate) throw unprocessable(badDate.message);
  for (const { definition } of differing) refuseField(there, current, definition.name);
  if (current.kind.type === 'media' && !options.isOfProgram)
    requireChangeableNodes(actor, current.isNew ? 'creating' : 'updating', differing, targets);
  if (!options.isOfProgram) requirePlaces(actor, current, differing, targets);
  if (all.length > 0) throw validationFailed(inOrder(all));
  for (const field of differing) {
    const { definition } = field;
    const type = services.fields.types.of(definition);
    const items = field.items.map((item) => type.keep(item, current.values[definition.name] ?? []));
    field.items = completeItems(items, definition, services.fields);
  }
  return { submitted: new Map(differing.map((field) => [field.definition.name, field])), targets };
}

function hostOf({ kind: { type }, draft: { id, hosts = [] }, isNew }: CurrentContent): Host {
  return { type, id: isNew ? undefined : id, hosts };
}

/** Restricts the parents of a term to its vocabulary. */
export function inBundle(
  { kind, bundle }: Pick<CurrentContent, 'kind' | 'bundle'>,
  definition: FieldDefinition,
): FieldDefinition {
  const isParent = kind.type === 'taxonomy_term' && definition.name === 'parent';
  return isParent ? { ...definition, targetBundles: [bundle.name] } : definition;
}

/** Parses values in the form of the API as submitted ones. Skips fields that the bundle lacks. */
export function asSubmitted(
  target: Pick<CurrentContent, 'kind' | 'bundle'>,
  raw: Record<string, JsonValue>,
  types: FieldTypes,
): SubmittedValues {
  return new Map(
    Object.entries(raw).flatMap(([name, value]): [string, Item[]][] => {
      const definition = definitionOf(target, name);
      return definition ? [[name, parseItems(value, definition, types)]] : [];
    }),
  );
}

/** Adds violations for parents that would place a term above itself. */
async function addCircularParents(
  { database }: Services,
  { kind, draft, isNew }: CurrentContent,
  differing: readonly SubmittedField[],
  violations: Map<string, Violation[]>,
): Promise<void> {
  const field = differing.find(({ definition }) => kind.type === 'taxonomy_term' && definition.name === 'parent');
  if (field === undefined || isNew || violations.has('parent')) return;
  const parents = field.items.map(({ target_id }) => Number(target_id));
  const circular = await circularParents(database, draft.id, parents);
  const circularTerms = circular.map((id): Violation => {
    const message = `This entity (taxonomy_term: ${id}) cannot be referenced: it is the term itself or one of its descendants.`;
    return { path: `parent.${parents.indexOf(id)}.target_id`, message };
  });
  if (circularTerms.length > 0) violations.set('parent', circularTerms);
}

/** Returns violations of items first, then missing values (spec: rest-behaviour, 1.4). */
function inOrder(violations: readonly Violation[]): Violation[] {
  const isMissing = ({ message }: Violation) => message === MISSING;
  return [...violations.filter((each) => !isMissing(each)), ...violations.filter(isMissing)];
}

function isUnchanged(current: CurrentContent, definition: FieldDefinition, items: Item[], types: FieldTypes): boolean {
  // The bundle of existing content never changes; a submitted one is ignored.
  if (definition.name === current.kind.bundleMember) return true;
  const base = current.kind.baseFieldNamed.get(definition.name);
  if (base?.isComputed) return true;
  if (base === undefined && current.isNew) return false;
  const stored = storedItems(current, definition);
  // An empty value of a field with a default requests the default.
  if (base && current.isNew && items.length === 0 && isPresent(current, definition)) return true;
  const present = stored.filter((item) => parseItems([item], definition, types).length > 0);
  return isEqualValue(items, present, definition, types);
}

function storedItems({ kind, draft, values }: CurrentContent, { name }: FieldDefinition): Item[] {
  return kind.baseFieldNamed.get(name)?.read(draft) ?? values[name] ?? [];
}

function refuseField(actor: Actor, { kind, isNew }: CurrentContent, name: string): void {
  const base = kind.baseFieldNamed.get(name);
  if (base === undefined) return;
  const reason = refusedChange(isNew ? base.create : base.update, actor);
  if (reason !== undefined) throw fieldDenied(isNew ? 'creating' : 'updating', name, isNew ? '' : reason);
}

function violationsOf(
  fields: Fields,
  current: CurrentContent,
  differing: readonly SubmittedField[],
  ofReferences: ReadonlyMap<string, Violation[]>,
): Violation[] {
  const { kind, bundle, isNew } = current;
  const byField = new Map<string, Violation[]>();
  const note = ({ name }: FieldDefinition, violations: readonly Violation[]) => {
    if (violations.length > 0) byField.set(name, [...(byField.get(name) ?? []), ...violations]);
  };
  for (const { definition, items } of differing) {
    note(definition, ofReferences.get(definition.name) ?? []);
    note(definition, validateField(items, definition, fields));
  }
  // Most fields are optional and not submitted.
  const addMissing = (definition: FieldDefinition) => {
    const isMissing = definition.required && !differing.some((field) => field.definition.name === definition.name);
    if (isMissing && !isPresent(current, definition)) note(definition, validateField([], definition, fields));
  };
  if (isNew) {
    for (const { definition } of kind.baseFields) addMissing(definition);
    for (const definition of bundle.fields) addMissing(definition);
  }
  if (byField.size === 0) return [];
  const inOrder = [...kind.baseFields.map(({ definition }) => definition), ...bundle.fields];
  return inOrder.flatMap(({ name }) => byField.get(name) ?? []);
}

/** Returns true if a field that was not submitted has a default. */
function isPresent({ kind, values }: CurrentContent, definition: FieldDefinition): boolean {
  // A media without a name gets the name of its file.
  if (definition.name === kind.labelMember) return kind.type === 'media';
  return kind.baseFieldNamed.has(definition.name) || (values[definition.name]?.length ?? 0) > 0;
}

/**
 * Returns violations for texts whose format the actor may not use. The fallback format needs no permission. A stored
 * text keeps its format: clients that add an item send the stored ones too.
 */
export function refusedFormats(
  { textFormats, fallbackFormat }: Pick<ContentModel, 'textFormats' | 'fallbackFormat'>,
  actor: Actor,
  { name }: FieldDefinition,
  items: readonly Item[],
  stored: readonly Item[],
): Violation[] {
  return items.flatMap(({ value, format }, delta) => {
    const isOpen = typeof format !== 'string' || !textFormats.has(format) || format === fallbackFormat;
    if (isOpen || actor.may(permissionOf('use text format NAME', format))) return [];
    const isKept = stored.some((item) => item.format === format && item.value === value);
    return isKept ? [] : { path: `${name}.${delta}.format`, message: NOT_A_CHOICE };
  });
}
