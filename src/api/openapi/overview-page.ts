import type { ComponentChildren } from 'preact';
import { h } from '../../base/markup/jsx-runtime.ts';
import type { ApiDocument } from './document.ts';
import type { Json } from './json-schema.ts';
import type { OperationObject, ParameterObject, ResponseObject } from './operations.ts';
import { schemaLink, schemaText } from './schema-page.ts';

/** The path of the pages of schemas, relative to this page. */
const SCHEMAS = 'openapi/shapes/';
const SCHEMAS_CHAPTER = 'schemas';
/** Every GET has a HEAD, and every address OPTIONS: the page mentions them once. */
const SHOWN_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Returns the content of the page of the API: all operations by tag, and the names of all schemas. */
export function overviewPage({ info, tags, paths, components }: ApiDocument): ComponentChildren {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    SHOWN_METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
  const chapters = tags.map(({ name, description }) =>
    h(
      'section',
      { id: String(name) },
      h('h2', null, String(name)),
      h('p', null, String(description)),
      ...operations
        .filter(({ operation }) => operation.tags.includes(String(name)))
        .map(({ method, path, operation }) => operationDetails(method, path, operation, components.responses)),
    ),
  );
  const schemas = Object.keys(components.schemas).sort();
  return h(
    'main',
    null,
    h('h1', null, `${info.title} ${info.version}`),
    ...String(info.description)
      .split('\n\n')
      .map((paragraph) => h('p', null, words(paragraph))),
    h('p', null, 'Every GET has a HEAD, and every address has OPTIONS.'),
    h('p', null, 'This description for programs: ', h('a', { href: 'openapi.json' }, 'openapi.json'), '.'),
    h('nav', null, ...[...tags.map(({ name }) => String(name)), SCHEMAS_CHAPTER].map(chapterLink)),
    ...chapters,
    h(
      'section',
      { id: SCHEMAS_CHAPTER },
      h('h2', null, SCHEMAS_CHAPTER),
      h('ul', { class: 'schemas' }, ...schemas.map((name) => h('li', null, schemaLink(name, SCHEMAS)))),
    ),
  );
}

function chapterLink(name: string): ComponentChildren {
  return [h('a', { href: `#${name}` }, name), ' '];
}

function operationDetails(
  method: string,
  path: string,
  operation: OperationObject,
  shared: ApiDocument['components']['responses'],
): ComponentChildren {
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation;
  const answers = Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.split('/').at(-1);
    return answerRow(status, name === undefined ? response : (shared[name] as ResponseObject));
  });
  return h(
    'details',
    { id: operationId },
    h('summary', null, h('b', null, method.toUpperCase()), ' ', h('code', null, path), ' ', h('span', null, summary)),
    description === undefined ? null : h('p', null, words(description)),
    h(
      'p',
      null,
      'Credentials: ',
      security.map((scheme) => Object.keys(scheme).join(' with ') || 'none').join(', '),
      '.',
    ),
    parameters.length === 0 ? null : table(['Parameter', 'In', 'Schema', ''], parameters.map(parameterRow)),
    requestBody && h('div', null, 'Body: ', ...contentText(requestBody.content)),
    table(['Status', 'Meaning', 'Headers', 'Body'], answers),
  );
}

function parameterRow({ name, in: place, required, schema }: ParameterObject): ComponentChildren {
  const note = [required ? 'required' : '', schema.description ?? ''].filter((each) => each !== '').join('; ');
  return row(h('code', null, name), place, schemaText(schema, SCHEMAS), words(note));
}

function answerRow(
  status: string,
  { description = '', headers = {}, content = {} }: ResponseObject,
): ComponentChildren {
  const names = Object.keys(headers).join(', ');
  return row(status, words(description), h('small', null, names), contentText(content));
}

function contentText(content: Readonly<Record<string, { readonly schema: Json }>>): ComponentChildren[] {
  return Object.entries(content).map(([type, { schema }]) =>
    h('div', null, h('code', null, type), ': ', schemaText(schema, SCHEMAS)),
  );
}

/** Returns text in which parts between backticks are code. */
function words(text: string): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : h('code', null, part)));
}

function row(...cells: ComponentChildren[]): ComponentChildren {
  return h('tr', null, ...cells.map((cell) => h('td', null, cell)));
}

function table(heads: readonly string[], rows: readonly ComponentChildren[]): ComponentChildren {
  const head = h('tr', null, ...heads.map((each) => h('th', null, each)));
  return h('table', null, h('thead', null, head), h('tbody', null, ...rows));
}
