import type { Control, Option } from '../../field-types/control.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { frequentRelations } from '../../repository/content/lists/frequent-relations.ts';
import type { Call } from '../../web/call.ts';

/** A shorter list of relations is seen at a glance. */
const MIN_OPTIONS = 20;
const MAX_FREQUENT = 8;
/** The relations of most collections, for a repository whose items have few yet. */
const USUAL_RELATIONS: readonly string[] = [
  ...['relators:aut', 'relators:pht', 'relators:art', 'relators:cre', 'relators:ctb', 'relators:edt'],
  ...['relators:ill', 'relators:pbl', 'relators:arc', 'relators:ctg'],
];

/** Returns the controls of a field, in which a long list of relations begins with the most frequent ones. */
export async function withFrequentChoices(
  { api }: Call,
  { name, relationTypes }: FieldDefinition,
  controls: readonly Control[],
): Promise<readonly Control[]> {
  const isLong = (control: Control) =>
    control.kind === 'choice' && control.member === 'rel_type' && control.options.length >= MIN_OPTIONS;
  if (relationTypes === undefined || !controls.some(isLong)) return controls;
  const used = await frequentRelations(api.services.database, name, MAX_FREQUENT);
  const first = [...new Set([...used, ...USUAL_RELATIONS])].filter((each) => Object.hasOwn(relationTypes, each));
  const frequent = first
    .slice(0, MAX_FREQUENT)
    .map((value): Option => ({ value, label: relationTypes[value] ?? value }));
  return controls.map((control) => (isLong(control) ? { ...control, frequent } : control));
}
