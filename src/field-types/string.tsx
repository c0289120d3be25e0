import type { ComponentChild } from 'preact';
import type { Item } from '../model/content-model.ts';
import { defineFieldType } from './define-field-type.ts';
import { wholeWebAddress } from './display/addresses.ts';
import { RightsLink, rightsOf } from './display/rights.tsx';
import type { FieldType } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asText, rdfOfValue } from './rdf.ts';

const MAX_CHARACTERS = 255;

/** Text of several lines. */
export const stringLong = defineFieldType({
  controls: () => [{ kind: 'lines', member: 'value' }],
  mayBeAddress: true,
  rdf: rdfOfValue(asText),
  show: ({ value }) => showLines(value),
  readCell: (value) => ({ raw: { value } }),
  widget: 'string_textarea',
});

/** Text of one line. Other scalars are converted to text. */
export const string: FieldType = {
  ...stringLong,
  settings: ['max_length'],
  defaults: ({ max_length = MAX_CHARACTERS }) => ({ maxLength: max_length }),
  show: ({ value }) => showLine(value),
  controls: ({ maxLength }) => [{ kind: 'text', member: 'value', maxLength }],
  widget: 'string_textfield',
};

/** Returns text of one line, with a link if it is a web address, as identifiers often are, or that of rights. */
export function showLine(value: Item[string] | undefined): ComponentChild | undefined {
  const line = textOf(value);
  const rights = line === undefined ? undefined : rightsOf(line);
  if (rights !== undefined) return <RightsLink rights={rights} />;
  const address = line && wholeWebAddress(line);
  return address ? <a href={address}>{line}</a> : line;
}

/** Returns text of several lines. */
export function showLines(value: Item[string] | undefined): ComponentChild | undefined {
  const lines = textOf(value);
  return lines && <p class="lines">{lines}</p>;
}
