import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { formFault, linkCell, PART_SEPARATOR } from './cell.ts';
import { optionsOf } from './control.ts';
import { isNothing, nonEmpty, toText } from './convert-value.ts';
import type { FieldType, Violation } from './field-type.ts';
import { link } from './link.tsx';
import { answered, freeMap, text, textOrNull } from './schemas.ts';
import { nonTexts, notAChoice } from './violation.ts';

/** The address of an entry in an authority file, and the name of that file. */
export const authorityLink: FieldType = {
  ...link,
  settings: ['link_type', 'authority_sources'],
  neededSettings: ['authority_sources'],
  properties: { uri: 'text', title: 'text', source: 'text' },
  answer: answered('AuthorityLinkItem', { uri: text, title: textOrNull, options: freeMap, source: textOrNull }),
  input: [...link.input, 'source'],
  choices: ({ authoritySources }) => authoritySources && { member: 'source', values: Object.keys(authoritySources) },
  parse: (raw, definition) => {
    const item = link.parse(raw, definition);
    return item && { ...item, source: toText(raw.source) };
  },
  violations: (item, definition, context) => [
    ...link.violations(item, definition, context),
    ...nonTexts(item, ['source']),
    ...sourceViolations(item.source, definition),
  ],
  complete: ({ uri = null, title = null, options = [], source = null }) => ({ uri, title, options, source }),
  controls: (definition, context) => [
    {
      kind: 'choice',
      member: 'source',
      label: 'Authority file',
      options: optionsOf(definition.authoritySources),
      none: 'None',
    },
    ...(link.controls(definition, context) ?? []),
  ],
  writeCell: ({ source, uri, title }) => linkCell([source ?? null, uri ?? null], title),
  readCell: (cell, definition) => {
    const [source = '', uri, ...title] = cell.split(PART_SEPARATOR);
    if (uri === undefined || uri.trim() === '') return formFault(cell, 'source%%address%%title', definition);
    return {
      raw: {
        source: source.trim(),
        uri: uri.trim(),
        title: title.length > 0 ? title.join(PART_SEPARATOR) : null,
      },
    };
  },
  module: 'controlled_access_terms',
  widget: 'authority_link_default',
  fieldSettings: (definition) => ({
    ...nonEmpty('authority_sources', definition.authoritySources),
    ...link.fieldSettings(definition),
  }),
};

function sourceViolations(source: JsonValue | undefined, { authoritySources }: FieldDefinition): Violation[] {
  if (isNothing(source) || typeof source !== 'string' || authoritySources === undefined) return [];
  return Object.hasOwn(authoritySources, source) ? [] : [notAChoice('source')];
}
