import { foldText } from '../../base/fold-text.ts';
import { nearestOf } from '../../base/nearest.ts';
import type { BulkParameters } from '../../bulk/bulk-action.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { formLabel } from '../../model/field-groups.ts';
import { completeTerm, findNamed, type NamedTarget } from '../../repository/content/lists/complete-target.ts';
import type { Call } from '../../web/call.ts';
import { bundlesOf } from '../edit/bundles-of-target.ts';
import { targetText } from '../edit/described-targets.ts';
import { NUMBERED, targetsNamed } from '../edit/resolve-target.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { BulkFormValues } from './bulk-data.ts';
import type { Choice, ManagedList } from './content-list-data.ts';

/** Maximum number of terms that are offered for an unknown or ambiguous name. */
const MAX_NEAR = 8;
/** The lengths of the beginning that similar names share with the typed one. */
const BEGINNINGS = [Number.POSITIVE_INFINITY, 4, 3, 2];
const MAX_COMPARED = 100;
const MAX_SHOWN_CHARS = 100;

/** Returns the fields of terms of a kind, by label. */
export function termFields({ api }: Call, kind: ManagedList): Choice[] {
  const labels = new Map<string, string>();
  for (const bundle of api.kinds[kind].bundles.values())
    for (const field of bundle.fields) if (isOfTerms(field)) labels.set(field.name, formLabel(bundle, field));
  return [...labels]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** Returns the field of terms with a name: with the vocabularies of all types that have it. Undefined for another name. */
export function termField({ api }: Call, kind: ManagedList, name: string): FieldDefinition | undefined {
  const definitions = [...api.kinds[kind].bundles.values()].flatMap((bundle) => {
    const field = bundle.fieldNamed.get(name);
    return field === undefined ? [] : [{ ...field, label: formLabel(bundle, field) }];
  });
  const [first] = definitions;
  if (first === undefined || !isOfTerms(first)) return undefined;
  return { ...first, autoCreate: false, targetBundles: allTargetBundles(definitions) };
}

/** Returns the bundles to which a field may refer in any type that has it. Undefined for all. */
export function allTargetBundles(definitions: readonly FieldDefinition[]): readonly string[] | undefined {
  if (definitions.some(({ targetBundles }) => targetBundles === undefined)) return undefined;
  return [...new Set(definitions.flatMap((each) => each.targetBundles ?? []))];
}

const isOfTerms = ({ type, targetType }: FieldDefinition) =>
  type === 'entity_reference' && targetType === 'taxonomy_term';

/** Returns the term to add, or the problems of the form. A term chosen among the offered ones replaces the typed name. */
export async function readTerm(
  call: Call,
  kind: ManagedList,
  { field = '', term = '', near = '' }: BulkFormValues,
): Promise<BulkParameters | readonly FormProblem[]> {
  const definition = termField(call, kind, field);
  const name = (near || term).trim();
  const problems = [
    ...(definition === undefined ? [{ field: 'field', message: 'Choose a field.' }] : []),
    ...(name === '' ? [{ field: 'term', message: 'Enter the name of a term.' }] : []),
  ];
  if (problems.length > 0 || definition === undefined) return problems;
  const terms = await termsOf(call, definition, name);
  const [first] = terms;
  if (first !== undefined && terms.length === 1) return { field, target: first.id, targetLabel: first.label };
  const shown = name.slice(0, MAX_SHOWN_CHARS);
  const message =
    first === undefined
      ? `No term for ${definition.label} has the name “${shown}”.`
      : `${terms.length} terms for ${definition.label} have the name “${shown}”.`;
  const offered = await nearTerms(call, kind, { field, term });
  const advice = offered.length > 0 ? 'Choose one of the terms below, or enter another name.' : 'Enter another name.';
  return [{ field: 'term', message: `${message} ${advice}` }];
}

/** Returns the terms of a field that a form offers for a typed name: those with the name, or else similar ones. */
export async function nearTerms(
  call: Call,
  kind: ManagedList,
  { field = '', term = '' }: BulkFormValues,
): Promise<Choice[]> {
  const definition = termField(call, kind, field);
  const name = term.replace(NUMBERED, '').trim().slice(0, MAX_SHOWN_CHARS);
  if (definition === undefined || name === '') return [];
  const same = await targetsNamed(call, definition, name);
  const near = same.length > 0 ? same.slice(0, MAX_NEAR) : await similar(call, definition, name);
  const { bundles } = call.api.kinds.taxonomy_term;
  return near.map((each) => ({
    value: targetText(each),
    label: `${targetText(each)}, ${bundles.get(each.bundle)?.label ?? each.bundle}`,
  }));
}

/** Returns the terms that a text names: by their name, or by it with a number in parentheses. */
async function termsOf(call: Call, definition: FieldDefinition, text: string): Promise<NamedTarget[]> {
  const [, numbered] = NUMBERED.exec(text) ?? [];
  const same = await targetsNamed(call, definition, text);
  if (numbered === undefined || same.length > 0) return same;
  const terms = await findNamed(call.api.services.database, 'taxonomy_term', [Number(numbered)]);
  const name = foldText(text.replace(NUMBERED, '').trim());
  return viewable(call, definition, terms).filter(({ label }) => foldText(label) === name);
}

function viewable({ api, actor }: Call, definition: FieldDefinition, targets: readonly NamedTarget[]): NamedTarget[] {
  const { targetBundles } = definition;
  return targets.filter(
    (each) =>
      (targetBundles?.includes(each.bundle) ?? true) && api.kinds.taxonomy_term.access.view(actor, each).isAllowed,
  );
}

async function similar(call: Call, definition: FieldDefinition, name: string): Promise<NamedTarget[]> {
  const { database } = call.api.services;
  const known = new Map<number, NamedTarget>();
  for (const chars of BEGINNINGS) {
    const beginning = [...name].slice(0, chars).join('');
    const terms = await completeTerm(database, bundlesOf(call, definition), beginning, MAX_COMPARED);
    for (const each of viewable(call, definition, terms)) known.set(each.id, each);
  }
  return nearestOf(name, [...known.values()], MAX_NEAR);
}
