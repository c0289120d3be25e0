import { Type as t } from '@sinclair/typebox';
import type { Rule } from '../base/merge-files.ts';
import { closed, flag, mapOf, text } from '../base/schema-parts.ts';

/** The schemas of `form` and `display` of a bundle. Each `description` completes the sentence "x must be …". */

const names = (description: string) =>
  t.Array(t.String({ minLength: 1, description: 'the name of a field' }), { description });
const fields = t.Optional(names('a list of fields'));
const labels = t.Optional(
  t.Record(t.String(), t.String({ minLength: 1, description: 'text' }), { description: 'a map of fields to texts' }),
);
const groups = t.Optional(mapOf('a map of groups'));
const order = t.Optional(
  t.Array(t.String({ minLength: 1, description: 'the name of a group' }), { description: 'a list of groups' }),
);

export const FormSchema = closed(
  { groups, order, labels, help: labels, not_offered: t.Optional(mapOf('a map of structures to lists of fields')) },
  'a map with groups, order, not_offered, labels and help',
);
export const DisplaySchema = closed({ groups, order, labels }, 'a map with groups, order and labels');

const label = text('text for people to read');
export const FormGroupSchema = closed({ label, fields, more: fields }, 'a group: a map with label, fields and more');
export const DisplayGroupSchema = closed(
  { label, fields, panel: t.Optional(flag()) },
  'a group: a map with label, fields and panel',
);
export const NamesSchema = names('a list of fields');

const GROUPS: Rule = { each: { members: {} } };
const TEXTS: Rule = { each: 'replace' };

/** The rules by which the user's `form` and `display` are merged over the default ones. */
export const FIELD_GROUP_RULES: Readonly<Record<'form' | 'display', Rule>> = {
  form: { members: { groups: GROUPS, labels: TEXTS, help: TEXTS, not_offered: { each: 'replace' } } },
  display: { members: { groups: GROUPS, labels: TEXTS } },
};
