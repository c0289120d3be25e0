import { Type as t } from '@sinclair/typebox';
import type { JsonValue } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { INDEPENDENT_TYPES } from '../model/field-facts.ts';
import { type CellFault, cellText, oneOf, shown } from './cell.ts';
import { optionsOf } from './control.ts';
import { isNothing, nonEmpty, toText } from './convert-value.ts';
import { entityReference } from './entity-reference.ts';
import type { FieldType, Violation } from './field-type.ts';
import { textOf } from './page-view.ts';
import { readTarget, referenceSettings, showTarget, targetViolations, withTarget } from './reference.tsx';
import { answeredReference, REFERENCE_MEMBERS } from './schemas.ts';
import { nonTexts, notAChoice } from './violation.ts';

/** A reference with the role of its target, such as `relators:aut`. Without a role an item is empty. */
export const typedRelation: FieldType = {
  ...entityReference,
  settings: [...entityReference.settings, 'rel_types'],
  neededSettings: ['target_type', 'rel_types'],
  targetTypes: INDEPENDENT_TYPES,
  properties: { target_id: 'text', rel_type: 'text' },
  answer: answeredReference('Relation', { rel_type: t.String({ description: 'The role, as `relators:aut`.' }) }),
  input: [...REFERENCE_MEMBERS, 'rel_type'],
  choices: ({ relationTypes }) => relationTypes && { member: 'rel_type', values: Object.keys(relationTypes) },
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    if (target === undefined || isNothing(raw.rel_type) || raw.rel_type === false) return undefined;
    return { ...target, rel_type: toText(raw.rel_type) };
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['rel_type']),
    ...relationViolations(item.rel_type, definition),
  ],
  complete: (item) => withTarget(item, { rel_type: item.rel_type ?? null }),
  isRelated: false,
  controls: ({ relationTypes }) => [
    relationTypes === undefined
      ? { kind: 'text', member: 'rel_type', label: 'Role', isShort: true }
      : { kind: 'choice', member: 'rel_type', label: 'Role', options: optionsOf(relationTypes), none: 'Choose' },
    { kind: 'target', member: 'target_id', label: 'Name' },
  ],
  role: ({ rel_type }) => (typeof rel_type === 'string' ? rel_type : undefined),
  show: (item, { relationTypes = {} }, view) => {
    const link = showTarget(item, view);
    if (link === undefined) return undefined;
    const type = textOf(item.rel_type);
    // A role outside of the list has no name.
    const role = type !== undefined && Object.hasOwn(relationTypes, type) ? relationTypes[type] : undefined;
    return (
      <>
        {link}
        {role && <span class="aside"> ({role})</span>}
      </>
    );
  },
  cellTarget: {
    write: ({ rel_type }, target) => `${cellText(rel_type)}:${target}`,
    read: (text, { relationTypes }) => {
      const relation = relationOf(text, relationTypes);
      if (relation === undefined) return noRelation(text, relationTypes);
      const target = text.slice(relation.length + 1).trim();
      return target === '' ? noTerm(text, relation) : { target, own: { rel_type: relation } };
    },
  },
  module: 'controlled_access_terms',
  widget: 'typed_relation_default',
  fieldSettings: (definition) => ({
    ...referenceSettings(definition),
    ...nonEmpty('rel_types', definition.relationTypes),
  }),
};

function relationViolations(type: JsonValue | undefined, { relationTypes }: FieldDefinition): Violation[] {
  if (typeof type !== 'string' || relationTypes === undefined) return [];
  return Object.hasOwn(relationTypes, type) ? [] : [notAChoice('rel_type')];
}

/** Returns the relation at the beginning of a cell value. If the field allows any relation, that is its first two parts. */
function relationOf(text: string, relations: FieldDefinition['relationTypes']): string | undefined {
  for (let at = text.indexOf(':'); at > 0; at = text.indexOf(':', at + 1)) {
    const left = text.slice(0, at);
    if (relations === undefined ? left.includes(':') : Object.hasOwn(relations, left)) return left;
  }
  return undefined;
}

function noTerm(text: string, relation: string): CellFault {
  return { fault: `${shown(text)} has no term after the relation ${relation}.` };
}

function noRelation(text: string, relationTypes: FieldDefinition['relationTypes'] = {}): CellFault {
  const known = Object.keys(relationTypes);
  const [namespace = '', code = ''] = text.split(':');
  if (!known.some((each) => each.startsWith(`${namespace}:`)))
    return { fault: `${shown(text)} does not begin with a relation, as in relators:aut:person:Doe, Jane.` };
  const named = `${namespace}:${code}`;
  if (known.includes(named)) return noTerm(text, named);
  const guess = nearest(named, known);
  if (guess === undefined) return { fault: `Unknown relation ${shown(named)}. The relations are ${oneOf(known)}.` };
  const label = relationTypes[guess];
  return {
    fault: `Unknown relation ${shown(named)}. Did you mean ${guess}${label ? ` (${label})` : ''}?`,
  };
}
