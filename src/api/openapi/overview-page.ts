import { type ComponentChildren, h } from 'preact';
import type { ApiDocument, OperationObject, ParameterObject, ResponseObject } from './document.ts';
import type { Json } from './json-schema.ts';
import { shapeLink, shapeText } from './shape-text.ts';

/** Where the pages of shapes are, seen from here. */
const SHAPES = 'openapi/shapes/';
const SHAPES_CHAPTER = 'shapes';
/** Every GET has a HEAD, and every address OPTIONS: the page says so once. */
const SHOWN_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What the page of the whole API shows: every operation by chapter, and the names of all shapes. */
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
  const shapes = Object.keys(components.schemas).sort();
  return h(
    'main',
    null,
    h('h1', null, `${info.title} ${info.version}`),
    ...String(info.description)
      .split('\n\n')
      .map((paragraph) => h('p', null, words(paragraph))),
    h('p', null, 'HEAD answers wherever GET does, and OPTIONS everywhere.'),
    h('p', null, 'The same for programs: ', h('a', { href: 'openapi.json' }, 'openapi.json'), '.'),
    h('nav', null, ...[...tags.map(({ name }) => String(name)), SHAPES_CHAPTER].map(chapterLink)),
    ...chapters,
    h(
      'section',
      { id: SHAPES_CHAPTER },
      h('h2', null, SHAPES_CHAPTER),
      h('ul', { class: 'shapes' }, ...shapes.map((name) => h('li', null, shapeLink(name, SHAPES)))),
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
    h('p', null, 'Credentials: ', security.map((way) => Object.keys(way).join(' with ') || 'none').join(', '), '.'),
    parameters.length === 0 ? null : table(['Parameter', 'In', 'Shape', ''], parameters.map(parameterRow)),
    requestBody && h('div', null, 'Body: ', ...contentText(requestBody.content)),
    table(['Status', 'Meaning', 'Headers', 'Body'], answers),
  );
}

function parameterRow({ name, in: place, required, schema }: ParameterObject): ComponentChildren {
  const note = [required ? 'needed' : '', schema.description ?? ''].filter((each) => each !== '').join('; ');
  return row(h('code', null, name), place, shapeText(schema, SHAPES), words(note));
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
    h('div', null, h('code', null, type), ': ', shapeText(schema, SHAPES)),
  );
}

/** Text with what stands between backticks as code. */
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
