import type { ComponentChildren } from 'preact';
import { h } from '../../base/markup/jsx-runtime.ts';
import type { Json } from './json-schema.ts';

const PREFIX = '#/components/schemas/';
/** Maximum number of choices in a summary of a schema. The page of the schema has all. */
const MAX_CHOICES = 12;
/** The path of the pages of schemas, relative to one of them. */
const SCHEMAS = '';

/** Returns the content of the page of a schema. */
export function schemaPage(name: string, schema: Json): ComponentChildren {
  const { title, description } = schema;
  return h(
    'main',
    null,
    h('p', null, h('a', { href: '../../openapi' }, 'All operations')),
    h('h1', null, name),
    title ? h('p', null, String(title)) : null,
    description ? h('p', null, String(description)) : null,
    schema.properties ? membersTable(schema) : h('p', null, wholeText(schema)),
    schema.additionalProperties === false ? h('p', null, 'No other members.') : null,
  );
}

/** Returns all choices, of which `schemaText` shows only the first. */
function wholeText(schema: Json): ComponentChildren {
  if (!Array.isArray(schema.enum)) return schemaText(schema, SCHEMAS);
  return schema.enum.flatMap((each) => [h('code', null, JSON.stringify(each)), ' ']);
}

function membersTable({ properties, required = [] }: Json): ComponentChildren {
  const rows = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const notes = [
      (required as string[]).includes(name) ? 'always' : '',
      schema.readOnly === true ? 'read-only' : '',
      schema.maxItems === 1 ? 'at most one' : '',
    ].filter((note) => note !== '');
    const words = [schema.title, schema.description].filter((each) => each !== undefined && each !== '').join('. ');
    return h(
      'tr',
      null,
      h('td', null, h('code', null, name)),
      h('td', null, schemaText(schema, SCHEMAS)),
      h('td', null, notes.join(', ')),
      h('td', null, words),
    );
  });
  const head = h('tr', null, ...['Member', 'Schema', '', 'Description'].map((each) => h('th', null, each)));
  return h('table', null, h('thead', null, head), h('tbody', null, ...rows));
}

/** Returns a summary of a schema with links to the schemas that it names. `schemas` is the path of their pages. */
export function schemaText(schema: Json, schemas: string): ComponentChildren {
  const { $ref, const: only, enum: choices, anyOf, oneOf, items, properties, type } = schema;
  if (typeof $ref === 'string') return schemaLink($ref.slice(PREFIX.length), schemas);
  if (only !== undefined) return h('code', null, JSON.stringify(only));
  if (Array.isArray(choices)) return choicesText(choices);
  const alternatives = (anyOf ?? oneOf) as Json[] | undefined;
  if (alternatives)
    return joined(
      alternatives.map((each) => schemaText(each, schemas)),
      ' or ',
    );
  if (type === 'array') return items ? ['list of ', bracketed(items as Json, schemas)] : 'list';
  if (properties) return membersText(schema, schemas);
  const pattern = schema.pattern ?? schema.format;
  const name = Array.isArray(type) ? type.join(' or ') : ((type as string | undefined) ?? 'anything');
  return typeof pattern === 'string' ? [name, ' ', h('code', null, pattern)] : name;
}

/** Returns a link to the page of a schema. */
export function schemaLink(name: string, schemas: string): ComponentChildren {
  return h('a', { href: `${schemas}${encodeURIComponent(name)}` }, name);
}

function choicesText(choices: readonly unknown[]): ComponentChildren {
  const shown = choices.slice(0, MAX_CHOICES).map((each) => h('code', null, JSON.stringify(each)));
  const more = choices.length - MAX_CHOICES;
  return [joined(shown, ', '), more > 0 ? ` and ${more} more` : ''];
}

function bracketed(schema: Json, schemas: string): ComponentChildren {
  return schema.anyOf || schema.oneOf ? ['(', schemaText(schema, schemas), ')'] : schemaText(schema, schemas);
}

function membersText({ properties, required = [] }: Json, schemas: string): ComponentChildren {
  const members = Object.entries(properties as Record<string, Json>).map(([name, schema]) => [
    h('code', null, name),
    (required as string[]).includes(name) ? ': ' : '?: ',
    schemaText(schema, schemas),
  ]);
  return ['{ ', joined(members, ', '), ' }'];
}

function joined(parts: readonly ComponentChildren[], separator: string): ComponentChildren {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}
