import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { ApiDocument } from '../../src/api/openapi/document.ts';
import type { OperationObject, ResponseObject } from '../../src/api/openapi/operations.ts';
import type { TestRepository } from './test-repository.ts';

/** An operation of the document with its place in it. */
export interface OperationDescription {
  method: string;
  path: string;
  operation: OperationObject;
}

/** The description of a repository, and what answers look like beside it. */
export interface ApiDescription {
  document: ApiDocument;
  operations: OperationDescription[];
  /** Returns the problems of a body by the schema of this name; empty for a valid body. */
  shapeErrors(name: string, value: unknown): unknown[];
  /** Returns the problems of a request body of an operation. */
  requestErrors(described: OperationDescription, mediaType: string, value: unknown): unknown[];
  /** Returns the problems of a response by the description of its operation, as lines. */
  answerErrors(described: OperationDescription, response: Response): Promise<string[]>;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];

/** Reads the description that a repository gives of itself. */
export async function describedApi(repository: TestRepository): Promise<ApiDescription> {
  const response = await repository.get('/openapi.json');
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const document = (await response.json()) as ApiDocument;
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: false }));
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ValidateFunction>();

  function errors(pointer: readonly string[], value: unknown): unknown[] {
    const at = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = compiled.get(at) ?? ajv.compile({ $ref: `api#/${at}` });
    compiled.set(at, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }

  async function answerErrors({ method, path, operation }: OperationDescription, answer: Response): Promise<string[]> {
    const status = String(answer.status);
    const own = operation.responses[status];
    if (own === undefined) return [`status ${status} is not described: ${(await answer.text()).slice(0, 200)}`];
    const name = own.$ref?.split('/').at(-1);
    const described = name === undefined ? own : (document.components.responses[name] as ResponseObject);
    const place = name === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', name];
    const found: string[] = [];
    for (const header of Object.keys(described.headers ?? {})) {
      const value = answer.headers.get(header);
      if (value === null) {
        if (document.components.headers[header]?.required === true) found.push(`${header} is missing`);
        continue;
      }
      for (const error of errors(['components', 'headers', header, 'schema'], value))
        found.push(`${header}: ${JSON.stringify(error)}`);
    }
    const body = await answer.text();
    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
    if (method === 'head' || described.content === undefined) {
      if (body !== '') found.push(`a body that is not described: ${body.slice(0, 100)}`);
      return found;
    }
    const listed = type in described.content ? type : '*/*';
    if (!(listed in described.content)) return [...found, `Content-Type ${type} is not described`];
    const value = type.endsWith('json') ? JSON.parse(body) : body;
    const wrong = errors([...place, 'content', listed, 'schema'], value);
    return [...found, ...wrong.map((error) => `${type}: ${JSON.stringify(error)} ${body.slice(0, 300)}`)];
  }

  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      METHODS.flatMap((method) => {
        const operation = methods[method];
        return operation ? [{ method, path, operation }] : [];
      }),
    ),
    shapeErrors: (name, value) => errors(['components', 'schemas', name], value),
    requestErrors: ({ method, path }, mediaType, value) =>
      errors(['paths', path, method, 'requestBody', 'content', mediaType, 'schema'], value),
    answerErrors,
  };
}
