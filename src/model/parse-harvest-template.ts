import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { isMap } from '../base/is-map.ts';
import { type ElementTemplate, HARVEST_FACTS, type Placeholder, type TemplateText } from './harvest-model.ts';
import { PATH, QUALIFIED_NAME } from './harvest-schema.ts';

/** The names that templates of a format may refer to. */
export interface TemplateScope {
  readonly reader: ConfigReader;
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly prefixes: ReadonlySet<string>;
}

const VALUE: TemplateText = [{ fact: 'value', table: undefined }];
const PLACEHOLDER = /\{([^{}]*)\}/;
const TEXT_KEY = '#';

/** Reads what a value becomes: a path, a map of elements, or a list of these. */
export function parseTemplates(scope: TemplateScope, value: unknown, path: readonly string[]): ElementTemplate[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => parseTemplates(scope, each, [...path, String(index)]));
  if (typeof value === 'string') return parsePath(scope, value, path);
  if (isMap(value)) return parseElements(scope, value, path);
  scope.reader.report(
    path,
    `${nameOf(path)} must be a path such as titleInfo/title, a map of elements, or a list of them`,
  );
  return [];
}

function parsePath(scope: TemplateScope, text: string, path: readonly string[]): ElementTemplate[] {
  if (!PATH.test(text)) {
    scope.reader.report(path, `${nameOf(path)} must be a path of elements such as titleInfo/title, found "${text}"`);
    return [];
  }
  const names = text.split('/');
  for (const name of names) checkPrefix(scope, name, path);
  return names.reduceRight<ElementTemplate[]>(
    (children, name) => [{ name, attributes: [], text: children.length === 0 ? VALUE : [], children }],
    [],
  );
}

/** Reads a map of elements to their contents. */
function parseElements(scope: TemplateScope, elements: object, path: readonly string[]): ElementTemplate[] {
  return Object.entries(elements).flatMap(([name, content]) => {
    const at = [...path, name];
    if (!QUALIFIED_NAME.test(name)) {
      scope.reader.report(at, `${nameOf(at)}: "${name}" is no name of an element`);
      return [];
    }
    checkPrefix(scope, name, at);
    const contents: [unknown, string[]][] = Array.isArray(content)
      ? content.map((each, index) => [each, [...at, String(index)]])
      : [[content, at]];
    return contents.flatMap(([each, where]) => parseContent(scope, name, each, where));
  });
}

/** Reads the content of an element: text, or a map of attributes, text and elements. */
export function parseContent(
  scope: TemplateScope,
  name: string,
  content: unknown,
  path: readonly string[],
): ElementTemplate[] {
  if (typeof content === 'string' || typeof content === 'number')
    return [{ name, attributes: [], text: parseText(scope, String(content), path), children: [] }];
  if (!isMap(content)) {
    scope.reader.report(path, `${nameOf(path)} must be text, or a map of "@attributes", "${TEXT_KEY}" and elements`);
    return [];
  }
  const entries = Object.entries(content);
  const attributes = entries.flatMap(([key, value]) => {
    if (!key.startsWith('@')) return [];
    const at = [...path, key];
    const attribute = key.slice(1);
    if (!QUALIFIED_NAME.test(attribute))
      scope.reader.report(at, `${nameOf(at)}: "${attribute}" is no name of an attribute`);
    else checkPrefix(scope, attribute, at);
    return { name: attribute, text: parseText(scope, value, at) };
  });
  const [, text = ''] = entries.find(([key]) => key === TEXT_KEY) ?? [];
  const elements = entries.filter(([key]) => !key.startsWith('@') && key !== TEXT_KEY);
  return [
    {
      name,
      attributes,
      text: parseText(scope, text, [...path, TEXT_KEY]),
      children: parseElements(scope, Object.fromEntries(elements), path),
    },
  ];
}

function parseText({ reader, tables }: TemplateScope, value: unknown, path: readonly string[]): TemplateText {
  if (typeof value !== 'string' && typeof value !== 'number') {
    reader.report(path, `${nameOf(path)} must be text`);
    return [];
  }
  // Every second part is the inside of braces.
  return String(value)
    .split(PLACEHOLDER)
    .flatMap((part, index): (string | Placeholder)[] => {
      if (index % 2 === 0) return part === '' ? [] : [part];
      const [name = '', tableName] = part.split('|');
      const fact = HARVEST_FACTS.find((each) => each === name);
      const table = tableName === undefined ? undefined : tables.get(tableName);
      if (tableName !== undefined && table === undefined) reader.reportUnknown(path, 'table', tableName, tables.keys());
      if (fact === undefined) {
        reader.reportUnknown(path, 'placeholder', name, HARVEST_FACTS);
        return [];
      }
      return [{ fact, table }];
    });
}

function checkPrefix({ reader, prefixes }: TemplateScope, name: string, path: readonly string[]): void {
  const [prefix, local] = name.split(':');
  if (local === undefined || prefix === undefined || prefix === 'xml' || prefixes.has(prefix)) return;
  reader.reportUnknown(path, 'namespace', prefix, prefixes);
}
