import type { ViewField } from '../../model/content-model.ts';
import { type Content, parseDocument } from '../../repository/content/content.ts';

/** What a configured list tells of one entry: texts, those of several items with commas between them. */
export function viewEntry(content: Content, fields: readonly ViewField[]): string {
  const { members } = parseDocument(content);
  const entry = fields.map(({ text, name, property }) => {
    const values = (members[name] ?? []).map((item) => item[property] ?? '');
    return [text, values.map(asText).join(', ')];
  });
  return JSON.stringify(Object.fromEntries(entry));
}

function asText(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
