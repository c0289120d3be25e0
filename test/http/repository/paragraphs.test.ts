import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { describedApi } from '../../support/described-api.ts';
import { createParagraphSite, type ParagraphSite, pathOf, refer } from '../../support/paragraph-site.ts';
import { createTestRepository, type EntityJson } from '../../support/test-repository.ts';

let site: ParagraphSite;
beforeAll(async () => {
  site = await createParagraphSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  expect(await auditServices(site.repository.running.services, true)).toEqual([]);
  await site.stop();
});

const post = (body: object, as = 'admin') => site.repository.post('/entity/paragraph?_format=json', body, as);

describe('a paragraph', () => {
  it('is created and read back, with its members in the order of the API', async () => {
    const response = await post({
      type: [{ target_id: 'note' }],
      parent_field_name: [{ value: 'field_parts' }],
      field_text: [{ value: 'Hello' }],
    });
    expect(response.status).toBe(201);
    const made = (await response.json()) as EntityJson;
    const [{ value: id }] = made.id;
    expect(response.headers.get('location')).toBe(`${site.repository.url}/entity/paragraph/${id}`);
    expect(Object.keys(made)).toEqual([
      ...['id', 'uuid', 'revision_id', 'langcode', 'type', 'status', 'created', 'parent_id', 'parent_type'],
      ...['parent_field_name', 'behavior_settings', 'default_langcode', 'revision_translation_affected'],
      ...['field_about', 'field_paper', 'field_parts', 'field_subject', 'field_text'],
    ]);
    expect(made).toMatchObject({
      type: [{ target_id: 'note', target_type: 'paragraphs_type' }],
      status: [{ value: true }],
      parent_id: [],
      parent_type: [],
      parent_field_name: [{ value: 'field_parts' }],
      behavior_settings: [{ value: [] }],
      default_langcode: [{ value: true }],
      field_text: [{ value: 'Hello' }],
    });
    const read = await site.repository.get(`/entity/paragraph/${id}?_format=json`, 'admin');
    expect(read.status).toBe(200);
    expect(read.headers.get('link')).toBeNull();
    expect((await read.json()) as EntityJson).toEqual(made);
    const head = await site.repository.fetch(`/entity/paragraph/${id}?_format=json`, { method: 'HEAD', as: 'admin' });
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(read.headers.get('etag'));
  });

  it('has no format other than JSON', async () => {
    const path = pathOf(await site.paragraph());
    for (const format of ['jsonld', 'html'])
      expect((await site.repository.get(`${path}?_format=${format}`, 'admin')).status).toBe(406);
  });

  it.each<[what: string, body: object, status: number, message: string]>([
    ['an unknown type', { type: 'poem' }, 422, '"poem" is not a valid bundle type for denormalization.'],
    ['no type', { field_text: ['x'] }, 422, 'Could not determine entity type bundle: "type" field is missing.'],
    ['a missing value', { type: 'note' }, 422, 'field_text: This value should not be null.'],
    [
      'an unknown field',
      { type: 'note', field_txt: ['x'] },
      422,
      'Field "field_txt" is unknown. Did you mean "field_text"?',
    ],
    ['a title', { type: 'note', title: ['x'], field_text: ['x'] }, 422, 'Field "title" is unknown.'],
    [
      'a host in the body',
      { type: 'note', field_text: ['x'], parent_type: ['node'], parent_id: ['1'] },
      403,
      "Access denied on creating field 'parent_type'.",
    ],
  ])('is not created from %s', async (_what, body, status, message) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as EntityJson).message).toContain(message);
  });

  it('is changed with ETags, and accepts its own response', async () => {
    const made = await site.paragraph();
    const path = `${pathOf(made)}?_format=json`;
    const before = (await site.repository.get(path, 'admin')).headers.get('etag') as string;
    const body = { type: 'note', field_text: ['Other words'] };
    const changed = await site.repository.patch(path, body, 'admin', { 'If-Match': before });
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as EntityJson).field_text).toEqual([{ value: 'Other words' }]);
    const again = await site.repository.patch(path, { type: 'note', field_text: ['x'] }, 'admin', {
      'If-Match': before,
    });
    expect(again.status).toBe(412);
    // The whole answer may be sent back.
    const whole = await site.read(pathOf(made));
    const { id, revision_id, ...rest } = whole;
    expect((await site.repository.patch(path, { ...rest, id, revision_id }, 'admin')).status).toBe(200);
    expect(await site.read(pathOf(made))).toEqual(whole);
    const moved = await site.repository.patch(path, { type: 'note', parent_id: ['5'] }, 'admin');
    expect(moved.status).toBe(403);
    expect(((await moved.json()) as EntityJson).message).toBe(
      "Access denied on updating field 'parent_id'. It is set when the entity that contains the paragraph is saved.",
    );
  });

  it('keeps its old revisions if its type has revisions', async () => {
    const note = await site.paragraph();
    const chapter = await site.paragraph({ type: 'chapter' });
    for (const each of [note, chapter]) {
      const type = each.type[0].target_id as string;
      await site.repository.patch(`${pathOf(each)}?_format=json`, { type, field_text: ['Changed'] }, 'admin');
    }
    expect((await site.read(pathOf(note))).revision_id).toEqual(note.revision_id);
    expect((await site.read(pathOf(chapter))).revision_id).not.toEqual(chapter.revision_id);
    const report = await site.report([refer(chapter)]);
    expect(report.field_parts[0].target_revision_id).toBe(chapter.revision_id[0].value);
  });

  it('is deleted with the references to it', async () => {
    const [one, other] = [await site.paragraph(), await site.paragraph()];
    const report = await site.report([refer(one), refer(other)]);
    const response = await site.repository.delete(`${pathOf(one)}?_format=json`, 'admin');
    expect(response.status).toBe(204);
    expect(await site.status(pathOf(one), 'admin')).toBe(404);
    const { field_parts } = await site.read(`/node/${report.nid[0].value}`);
    expect(field_parts).toMatchObject([refer(other)]);
  });

  it('returns 404 for an unknown id', async () => {
    for (const id of ['0', '999999', 'x']) {
      const response = await site.repository.get(`/entity/paragraph/${id}?_format=json`, 'admin');
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        message: `Paragraph ${id === 'x' ? '"x"' : id} does not exist.`,
      });
    }
  });
});

it('a site without paragraph types has no routes or schemas of paragraphs', async () => {
  const repository = await createTestRepository();
  try {
    const body = { type: 'note', field_text: ['x'] };
    expect((await repository.post('/entity/paragraph?_format=json', body, 'admin')).status).toBe(404);
    expect((await repository.get('/entity/paragraph/1?_format=json', 'admin')).status).toBe(404);
    const document = await (await repository.get('/openapi.json')).text();
    expect(document).not.toContain('/entity/paragraph');
    expect(document).not.toContain('#/components/schemas/Paragraph');
  } finally {
    await repository.stop();
  }
});

describe('the OpenAPI document', () => {
  it('has the addresses and exact schemas of paragraphs', async () => {
    const { document, operations, shapeErrors, answerErrors } = await describedApi(site.repository);
    const find = (method: string, path: string) => {
      const found = operations.find((each) => each.method === method && each.path === path);
      if (found === undefined) throw new Error(`${method} ${path} is not described`);
      return found;
    };
    const chapter = await site.paragraph({ type: 'chapter' });
    const note = await site.paragraph({ field_parts: [refer(chapter)] });
    for (const each of [note, chapter]) expect(shapeErrors('Paragraph', await site.read(pathOf(each)))).toEqual([]);
    expect(shapeErrors('Paragraph', { ...note, title: [{ value: 'x' }] })).not.toEqual([]);
    const report = await site.report([refer(note)]);
    expect(shapeErrors('Node', report)).toEqual([]);
    expect(document.components.schemas.ParagraphRevisionReference).toBeDefined();

    const item = '/entity/paragraph/{paragraph}';
    const path = `${pathOf(note)}?_format=json`;
    const body = { type: 'note', field_text: ['Described'] };
    for (const [method, described, answer] of [
      ['post', '/entity/paragraph', await post(body)],
      ['post', '/entity/paragraph', await post({ type: 'note' })],
      ['get', item, await site.repository.get(path, 'admin')],
      ['head', item, await site.repository.fetch(path, { method: 'HEAD', as: 'admin' })],
      ['patch', item, await site.repository.patch(path, body, 'admin')],
      ['delete', item, await site.repository.delete(path, 'admin')],
      ['get', item, await site.repository.get(path, 'admin')],
    ] as const)
      expect({ method, errors: await answerErrors(find(method, described), answer) }).toEqual({ method, errors: [] });
  });
});
