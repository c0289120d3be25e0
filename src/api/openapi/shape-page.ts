import { type ComponentChildren, h } from 'preact';
import type { Json } from './json-schema.ts';
import { shapeText } from './shape-text.ts';

/** Where the pages of other shapes are, seen from the page of one. */
const SHAPES = '';

/** What the page of a shape shows: its members, or whatever else it is. */
export function shapePage(name: string, schema: Json): ComponentChildren {
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

/** Every choice, where the words of a table would tell the first of them. */
function wholeText(schema: Json): ComponentChildren {
  if (!Array.isArray(schema.enum)) return shapeText(schema, SHAPES);
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
      h('td', null, shapeText(schema, SHAPES)),
      h('td', null, notes.join(', ')),
      h('td', null, words),
    );
  });
  const head = h('tr', null, ...['Member', 'Shape', '', 'What it is'].map((each) => h('th', null, each)));
  return h('table', null, h('thead', null, head), h('tbody', null, ...rows));
}
