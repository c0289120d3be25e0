import { nearest } from '../../base/nearest.ts';
import { oneOf, shown } from '../../field-types/cell.ts';
import { nodeAccess } from '../../repository/access.ts';
import { CONTENT_TYPE, type Columns } from './columns.ts';
import { COMMAND_WORDS } from './option-words.ts';
import type { TableProblem } from './row-plan.ts';
import { tableProblem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import type { TermValues } from './term-value.ts';

/** Returns the problems of the options of a table. */
export async function optionProblems(
  { services, actor }: LoadContext,
  columns: Columns,
  options: TableOptions,
  terms: TermValues,
): Promise<TableProblem[]> {
  const { contentType, textFormat, additionalFiles, subdelimiter, delimiter, createTerms } = options;
  const { words = COMMAND_WORDS } = options;
  const { nodeTypes, textFormats, mediaTypes, vocabularies } = services.model;
  const messages: string[] = [];
  if (!columns.all.has(CONTENT_TYPE)) {
    if (!nodeTypes.has(contentType)) messages.push(unknownType(contentType, [...nodeTypes.keys()]));
    else if (!nodeAccess.create(actor, contentType).isAllowed)
      messages.push(`The user ${actor.name} may not create content of the type ${contentType}.`);
  }
  if (subdelimiter === '' || subdelimiter === delimiter)
    messages.push('The subdelimiter and the delimiter must differ.');
  if (textFormat !== undefined && !textFormats.has(textFormat))
    messages.push(`Unknown text format ${shown(textFormat)}. Text formats are ${oneOf([...textFormats.keys()])}.`);
  for (const name of createTerms)
    if (!vocabularies.has(name))
      messages.push(`--create-terms ${name}: ${unknownVocabulary(name, [...vocabularies.keys()])}`);
  const useField = [...mediaTypes.values()].flatMap(({ fieldNamed }) => fieldNamed.get('field_media_use') ?? [])[0];
  for (const [column, use] of additionalFiles) {
    const value = useField && (await terms.read(use, useField, false));
    if (value && 'fault' in value) messages.push(`${words.additionalFiles} ${column}=${use}: ${value.fault}`);
  }
  return messages.map((message) => tableProblem(message));
}

function unknownVocabulary(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return `Unknown vocabulary ${shown(name)}. ${guess === undefined ? `Vocabularies are ${oneOf(known, known.length)}.` : `Did you mean ${guess}?`}`;
}

/** Returns the message about an unknown content type, with a suggestion. */
export function unknownType(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  const hint = guess === undefined ? `Content types are ${oneOf(known)}.` : `Did you mean ${guess}?`;
  return `Unknown content type ${shown(name)}. ${hint}`;
}
