import { type ComponentChildren, h } from 'preact';
import type { Json } from './json-schema.ts';

const PREFIX = '#/components/schemas/';
/** More choices are told on the page of their shape alone. */
const MAX_CHOICES = 12;

/** A schema in a few words, with links to the shapes that it names; `shapes` is where their pages are. */
export function shapeText(schema: Json, shapes: string): ComponentChildren {
  const { $ref, const: only, enum: choices, anyOf, oneOf, items, properties, type } = schema;
  if (typeof $ref === 'string') return shapeLink($ref.slice(PREFIX.length), shapes);
  if (only !== undefined) return h('code', null, JSON.stringify(only));
  if (Array.isArray(choices)) return choicesText(choices);
  const alternatives = (anyOf ?? oneOf) as Json[] | undefined;
  if (alternatives)
    return joined(
      alternatives.map((each) => shapeText(each, shapes)),
      ' or ',
    );
  if (type === 'array') return items ? ['list of ', bracketed(items as Json, shapes)] : 'list';
  if (properties) return membersText(schema, shapes);
  const pattern = schema.pattern ?? schema.format;
  const name = Array.isArray(type) ? type.join(' or ') : ((type as string | undefined) ?? 'anything');
  return typeof pattern === 'string' ? [name, ' ', h('code', null, pattern)] : name;
}

/** A link to the page of a shape. */
export function shapeLink(name: string, shapes: string): ComponentChildren {
  return h('a', { href: `${shapes}${encodeURIComponent(name)}` }, name);
}

function choicesText(choices: readonly unknown[]): ComponentChildren {
  const shown = choices.slice(0, MAX_CHOICES).map((each) => h('code', null, JSON.stringify(each)));
  const more = choices.length - MAX_CHOICES;
  return [joined(shown, ', '), more > 0 ? ` and ${more} more` : ''];
}

function bracketed(schema: Json, shapes: string): ComponentChildren {
  return schema.anyOf || schema.oneOf ? ['(', shapeText(schema, shapes), ')'] : shapeText(schema, shapes);
}

function membersText({ properties, required = [] }: Json, shapes: string): ComponentChildren {
  const members = Object.entries(properties as Record<string, Json>).map(([name, schema]) => [
    h('code', null, name),
    (required as string[]).includes(name) ? ': ' : '?: ',
    shapeText(schema, shapes),
  ]);
  return ['{ ', joined(members, ', '), ' }'];
}

function joined(parts: readonly ComponentChildren[], separator: string): ComponentChildren {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}
