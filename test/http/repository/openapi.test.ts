import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { join } from 'node:path';
import Database from 'libsql';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { migrations } from '../../../src/database/migrate.ts';
import { paths } from '../../../src/paths.ts';
import { loadNames } from '../../support/authority-list.ts';
import { type ApiDescription, describedApi, type OperationDescription } from '../../support/described-api.ts';
import { signedIn } from '../../support/form-call.ts';
import { CALLS, type CallSample, COUNTER_KEY, type OperationCall } from '../../support/operation-calls.ts';
import { createSample, PNG, signIn } from '../../support/repository-routes.ts';
import { tableBrowser } from '../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { beginUpload, uploadWhole } from '../../support/tus.ts';

/** More records than calls make terms of. */
const RECORDS = 500;
/** Half of all references meet the condition of such a search. */
const READS_HALF = /^SCAN reference\b|reference_target \(target_type=\?\)$|PRIMARY KEY \(source_type=\?\)$/;

/** The paths whose POST is the form of a page. The description of the API leaves it out: no program sends it. */
const FORM_PATHS: readonly string[] = [
  paths.siteSettings,
  paths.nodeAddForm,
  paths.nodeEdit,
  paths.nodeDelete,
  paths.nodePublication,
  paths.nodeRoles,
  paths.nodeRestore,
  paths.mediaRestore,
  paths.nodeOrder,
  paths.nodeFiles,
  paths.nodeAsk,
  paths.nodeAccessLinks,
  paths.accessRequest,
  paths.accessConfirm,
  paths.mediaAddForm,
  paths.mediaEdit,
  paths.mediaDelete,
  paths.termAddForm,
  paths.termEdit,
  paths.termDelete,
  paths.vocabularyTerms,
  paths.termMergeForm,
  paths.unusedTerms,
  paths.similarTerms,
  paths.userEdit,
  paths.userCancel,
  paths.userSessions,
  paths.userResetLink,
  paths.userAdd,
  paths.password,
  paths.passwordRequest,
  paths.pass,
  paths.passwordReset,
  paths.mailConfirm,
  paths.coreSettings,
  paths.derivatives,
  paths.fixity,
  paths.usage,
  paths.tableImports,
  paths.tableImport,
  paths.tableImportFiles,
  paths.importDelete,
  paths.nodeUpload,
  paths.mediaUpload,
  paths.bulkConfirm,
  paths.bulkValues,
  paths.bulkStop,
  paths.bulkResume,
  paths.bulkUndo,
  paths.accessibility,
];

const statements = captureStatements();
let repository: TestRepository;
let api: ApiDescription;
let tableImport: number;
let bulkRun: number;
beforeAll(async () => {
  const usage = { ...DEFAULT_SERVER_CONFIG.usage, apiKeys: [COUNTER_KEY] };
  repository = await createTestRepository({ usage });
  await repository.user('guest');
  const { node } = await createSample(repository);
  const use = await repository.termId('http://pcdm.org/use#ServiceFile');
  const headers = { 'Content-Type': 'image/png', 'Content-Location': 'fedora://described/a.png' };
  const put = await repository.put(`/node/${node}/media/image/${use}`, PNG, headers, 'admin');
  expect(put.status).toBe(201);
  tableImport = await importTable(repository);
  bulkRun = await startBulkRun(repository);
  api = await describedApi(repository);
  await loadNames(
    repository,
    Array.from({ length: RECORDS }, (_, index) => `Record ${index}`),
  );
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Imports a table as a browser does. Returns its id. */
async function importTable(repository: TestRepository): Promise<number> {
  const admin = await tableBrowser(repository, 'admin');
  const { path } = await admin.upload('id,title,field_model\n1,A map,Image\n');
  await admin.settled(path);
  await admin.press(path, { act: 'start' });
  await admin.settled(path);
  return Number(path.split('/').at(-1));
}

/** The path as OpenAPI writes it. */
const inBraces = (path: string) => path.replace('*', ':path').replaceAll(/:(\w+)/g, '{$1}');

let uploads: readonly string[] = [];

/** Begins two uploads. Those that are not kept are deleted with the next sample: a user may have few. */
async function sampleUploads(isKept: boolean): Promise<Pick<CallSample, 'emptyUpload' | 'wholeUpload'>> {
  for (const path of uploads) await repository.delete(path, 'admin', { 'Tus-Resumable': '1.0.0' });
  const empty = await beginUpload(repository, 'a.txt', 4);
  const whole = await uploadWhole(repository, 'b.txt', new TextEncoder().encode('text'));
  uploads = isKept ? [] : [empty, whole];
  const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  return { emptyUpload: idOf(empty), wholeUpload: idOf(whole) };
}

/** Starts a change of many items. Returns its id. */
async function startBulkRun(of: TestRepository): Promise<number> {
  const { nid } = await of.node();
  const admin = await signedIn(of, 'admin');
  const form = await admin.open(`/admin/content/bulk/confirm?kind=node&action=publish&entry=${nid[0].value}`);
  const { headers } = await form.submit();
  return Number(/\d+$/.exec(headers.get('location') ?? '')?.[0]);
}

async function sample(isKept = false): Promise<CallSample> {
  const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  return {
    ...(await createSample(repository)),
    session: await signIn(repository, 'guest', 'guest'),
    model,
    tableImport,
    bulkRun,
    ...(await sampleUploads(isKept)),
  };
}

/** The example of an operation; HEAD and OPTIONS have none of their own. */
function callOf({ operation }: OperationDescription, of: CallSample): OperationCall {
  const call = CALLS[operation.operationId.replace(/(Head|Options)$/, '')];
  if (call === undefined) throw new Error(`no example for ${operation.operationId}`);
  return call(of);
}

async function send({ method, path }: OperationDescription, call: OperationCall, as?: string): Promise<Response> {
  const { params = {}, query = {}, headers = {}, mediaType, body } = call;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(params[name]));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const isWrite = method !== 'get' && method !== 'head' && method !== 'options';
  const bytes = body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await repository.fetch(`${filled}?${search}`, {
    method: method.toUpperCase(),
    ...(as !== undefined && { as }),
    headers: { ...headers, ...(isWrite && mediaType !== undefined && { 'Content-Type': mediaType }) },
    ...(isWrite && body !== undefined && { body: bytes as NonNullable<RequestInit['body']> }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  return isStream ? firstEvents(response) : response;
}

/** Returns the beginning of a stream of events, which lasts for many seconds. */
async function firstEvents(response: Response): Promise<Response> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new Response(first?.value ?? null, response);
}

/** The pages that answer any known `_format`, as an address with a single representation does. */
const SINGLE_PAGES: readonly string[] = [paths.home, paths.openapiPage, paths.openapiSchema];

/** Returns the methods of a path that are for people alone: those of a page and of its form. Its parameters are in either form. */
async function methodsOfPage(path: string): Promise<string[]> {
  const isPath = (each: string) => each === path || inBraces(each) === path;
  const filled = path.replaceAll(/:\w+|\{\w+\}/g, '1').replace('*', 'a');
  const isPage =
    SINGLE_PAGES.some(isPath) || (await repository.fetch(`${filled}?_format=json`, { as: 'admin' })).status === 406;
  return [...(isPage ? ['GET', 'HEAD'] : []), ...(FORM_PATHS.some(isPath) ? ['POST'] : [])];
}

describe('the description of the API', () => {
  it('has every route of programs, HEAD and OPTIONS, and nothing else', async () => {
    const expected: string[] = [];
    for (const path of Object.values(paths)) {
      const answer = await repository.fetch(path.replaceAll(/:\w+/g, '1').replace('*', 'a'), { method: 'OPTIONS' });
      // Paragraphs have routes where a site has any; the processor has its own port.
      if (answer.status === 404) expect<string[]>([paths.process, paths.paragraphs, paths.paragraph]).toContain(path);
      const hidden = await methodsOfPage(path);
      const methods = (answer.headers.get('allow')?.split(', ') ?? []).filter((each) => !hidden.includes(each));
      for (const method of methods) expected.push(`${method} ${inBraces(path)}`);
      if (methods.length > 0) expected.push(`OPTIONS ${inBraces(path)}`);
      if (methods.includes('GET')) expected.push(`HEAD ${inBraces(path)}`);
    }
    const found = api.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(found.toSorted()).toEqual([...new Set(expected)].toSorted());
  });

  it('has exactly one example here for each operation', () => {
    const ids = api.operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const own = ids.filter((id) => !/(Head|Options)$/.test(id));
    expect(Object.keys(CALLS).toSorted()).toEqual(own.toSorted());
  });
});

describe('every operation', () => {
  it('answers every caller as described', async () => {
    const wrong: string[] = [];
    // Reads change nothing that other operations need.
    const ofReads = await sample(true);
    for (const described of api.operations) {
      const { method, operation } = described;
      const isRead = ['get', 'head', 'options'].includes(method);
      const call = callOf(described, isRead ? ofReads : await sample());
      const stranger = await send(described, { ...call, headers: {} });
      for (const error of await api.answerErrors(described, stranger))
        wrong.push(`${operation.operationId} for anyone: ${error}`);
      const answer = await send(described, call, call.isAnonymous ? undefined : 'admin');
      const expected = method === 'options' ? 200 : call.status;
      if (answer.status !== expected) wrong.push(`${operation.operationId}: ${answer.status} and not ${expected}`);
      for (const error of await api.answerErrors(described, answer)) wrong.push(`${operation.operationId}: ${error}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('answers in every form that it names for itself', async () => {
    const of = await sample();
    for (const described of api.operations) {
      const formats = described.operation.parameters?.find(({ name }) => name === '_format')?.schema.enum;
      if (described.method !== 'get' || !Array.isArray(formats)) continue;
      const call = callOf(described, of);
      const types = new Set<string | undefined>();
      for (const _format of formats) {
        const as = call.isAnonymous ? undefined : 'admin';
        const answer = await send(described, { ...call, query: { ...call.query, _format } }, as);
        const type = answer.headers.get('content-type')?.split(';', 1)[0];
        // An answer that leads to another page has no body.
        if (type !== undefined || answer.status !== 303) types.add(type);
        const errors = [answer.status, ...(await api.answerErrors(described, answer))];
        expect([described.operation.operationId, _format, ...errors]).toEqual([
          described.operation.operationId,
          _format,
          call.status,
        ]);
      }
      const named = Object.keys(described.operation.responses[String(call.status)]?.content ?? {});
      expect([...types].map(String).toSorted()).toEqual(named.toSorted());
    }
  });

  it('describes the body that its example sends, and the parameters', async () => {
    const of = await sample();
    for (const described of api.operations) {
      const { method, path, operation } = described;
      if (method === 'options') continue;
      const { params = {}, query = {}, headers = {}, mediaType, body } = callOf(described, of);
      if (operation.requestBody) {
        const listed = Object.keys(operation.requestBody.content);
        expect(listed.includes('*/*') || listed.includes(mediaType ?? '')).toBe(true);
        if (mediaType === 'application/json') expect(api.requestErrors(described, mediaType, body)).toEqual([]);
      } else if (method !== 'head') expect(body).toBeUndefined();
      const parameters = operation.parameters ?? [];
      const inPlace = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name);
      expect(inPlace('path').toSorted()).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)).toSorted(),
      );
      expect(inPlace('path')).toEqual(expect.arrayContaining(Object.keys(params)));
      expect(inPlace('query')).toEqual(expect.arrayContaining(Object.keys(query)));
      const own = Object.keys(headers).filter((name) => name !== 'Cookie');
      expect(inPlace('header')).toEqual(expect.arrayContaining(own));
    }
  });

  it('answers 405 in the form of a failure to any other method', async () => {
    const byPath = Map.groupBy(api.operations, ({ path }) => path);
    const of = await sample();
    for (const [path, operations] of byPath) {
      const method = ['put', 'delete', 'patch'].find((each) => !operations.some((known) => known.method === each));
      const first = operations[0] as OperationDescription;
      const answer = await send({ ...first, method: String(method) }, callOf(first, of), 'admin');
      expect(`${path} ${answer.status}`).toBe(`${path} 405`);
      const hidden = await methodsOfPage(path);
      const allowed = answer.headers.get('allow')?.split(', ') ?? [];
      expect(allowed.filter((each) => !hidden.includes(each)).toSorted()).toEqual(
        operations
          .map((each) => each.method.toUpperCase())
          .filter((each) => each !== 'OPTIONS')
          .toSorted(),
      );
      expect(api.shapeErrors('Failure', await answer.json())).toEqual([]);
    }
  });
});

it('reads only the references that it needs, in any operation', () => {
  expect(statements.readsOfHalf(join(repository.dataFolder, 'repository.db'))).toEqual([]);
});

/** They ran in the database of another version. */
const MIGRATIONS = new Set(migrations.flatMap(({ statements }) => statements));

/** The statements that the program has prepared since a moment. */
interface CapturedStatements {
  /** Returns each step of a plan for which the database would read half of all references, with the statement. */
  readsOfHalf(file: string): string[];
}

/** Captures the statements that this process prepares for local databases. */
function captureStatements(): CapturedStatements {
  const prepared = spyOn(Database.prototype, 'prepare');
  return {
    readsOfHalf(file) {
      const texts = new Set(prepared.mock.calls.map(([text]) => String(text)));
      prepared.mockRestore();
      const database = new Database(file, { readonly: true });
      try {
        return [...texts]
          .filter((text) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(text) && !MIGRATIONS.has(text.trim()))
          .flatMap(readsOfHalfOf(database));
      } finally {
        database.close();
      }
    },
  };
}

function readsOfHalfOf(database: Database.Database): (text: string) => string[] {
  return (text) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all([]) as { detail: string }[];
    return steps.filter(({ detail }) => READS_HALF.test(detail)).map(({ detail }) => `${detail}: ${text}`);
  };
}
