import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { createParagraphSite, type ParagraphSite, pathOf, refer } from '../../support/paragraph-site.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

let site: ParagraphSite;
beforeAll(async () => {
  site = await createParagraphSite();
  for (const name of ['writer', 'remover', 'keeper', 'reader', 'reporter']) await site.repository.user(name, name);
  await site.repository.user('other-writer', 'writer');
  await site.repository.user('nobody-special');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  expect(await auditServices(site.repository.running.services, true)).toEqual([]);
  await site.stop();
});

const EVERYONE: readonly As[] = ['admin', 'keeper', 'writer', 'other-writer', 'nobody-special', undefined];
const whoSees = async (paragraph: EntityJson): Promise<As[]> => {
  const seen: As[] = [];
  for (const as of EVERYONE) if ((await site.status(pathOf(paragraph), as)) === 200) seen.push(as);
  return seen;
};
const patch = (paragraph: EntityJson, fields: object, as: As) =>
  site.repository.patch(`${pathOf(paragraph)}?_format=json`, { type: paragraph.type, ...fields }, as);
const remove = async (paragraph: EntityJson, as: As) =>
  (await site.repository.delete(`${pathOf(paragraph)}?_format=json`, as)).status;
const hide = async (report: EntityJson) => {
  const body = { type: 'report', status: [false] };
  expect((await site.repository.patch(`/node/${report.nid[0].value}`, body, 'admin')).status).toBe(200);
};

describe('a paragraph', () => {
  it('without a parent is visible to its creator and administrators', async () => {
    expect(await whoSees(await site.paragraph({}, 'writer'))).toEqual(['admin', 'keeper', 'writer']);
  });

  it('is visible to callers who may view the node that contains it', async () => {
    const inner = await site.paragraph({}, 'writer');
    const outer = await site.paragraph({ field_parts: [refer(inner)] }, 'writer');
    const report = await site.report([refer(outer)]);
    for (const each of [inner, outer]) expect(await whoSees(each)).toEqual([...EVERYONE]);
    await hide(report);
    // Its creator cannot see it without access to the report.
    for (const each of [inner, outer]) expect(await whoSees(each)).toEqual(['admin']);
  });

  it('that is unpublished is visible, with its parts, to callers who may change it', async () => {
    const inner = await site.paragraph();
    const outer = await site.paragraph({ status: [false], field_parts: [refer(inner)] });
    await site.report([refer(outer)]);
    for (const each of [inner, outer])
      expect(await whoSees(each)).toEqual(['admin', 'keeper', 'writer', 'other-writer']);
    expect((await patch(outer, { status: [true] }, 'writer')).status).toBe(200);
    expect(await whoSees(inner)).toEqual([...EVERYONE]);
  });

  it('that is taken out is visible to callers who may view old revisions', async () => {
    const inner = await site.paragraph();
    const outer = await site.paragraph({ field_parts: [refer(inner)] });
    const report = await site.report([refer(outer)]);
    const body = { type: 'report', field_parts: [] };
    expect((await site.repository.patch(`/node/${report.nid[0].value}`, body, 'admin')).status).toBe(200);
    for (const each of [inner, outer]) expect(await whoSees(each)).toEqual(['admin']);
    expect((await patch(inner, { field_text: ['Changed'] }, 'keeper')).status).toBe(403);
  });

  it('is refused without access, even for its current ETag', async () => {
    const paragraph = await site.paragraph();
    const report = await site.report([refer(paragraph)]);
    const path = `${pathOf(paragraph)}?_format=json`;
    const etag = (await site.repository.get(path)).headers.get('etag') as string;
    expect((await site.repository.get(path, undefined, { 'If-None-Match': etag })).status).toBe(304);
    await hide(report);
    expect((await site.repository.get(path, undefined, { 'If-None-Match': etag })).status).toBe(401);
  });

  it('has files with the same visibility', async () => {
    const upload = await site.repository.fetch('/file/upload/paragraph/note/field_paper?_format=json', {
      method: 'POST',
      as: 'writer',
      body: 'A paper',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="paper.txt"' },
    });
    expect(upload.status).toBe(201);
    const { fid } = (await upload.json()) as EntityJson;
    const paragraph = await site.paragraph({ field_paper: [{ target_id: fid[0].value }] }, 'writer');
    const address = new URL(paragraph.field_paper[0].url).pathname;
    const fetched = async (as: As) => (await site.repository.get(address, as)).status;
    expect({
      writer: await fetched('writer'),
      otherWriter: await fetched('other-writer'),
      anonymous: await fetched(undefined),
    }).toEqual({ writer: 200, otherWriter: 403, anonymous: 401 });
    const report = await site.report([refer(paragraph)]);
    expect({ otherWriter: await fetched('other-writer'), anonymous: await fetched(undefined) }).toEqual({
      otherWriter: 200,
      anonymous: 200,
    });
    await hide(report);
    expect({ otherWriter: await fetched('other-writer'), anonymous: await fetched(undefined) }).toEqual({
      otherWriter: 403,
      anonymous: 401,
    });
  });
});

describe('a permission for a paragraph type', () => {
  it('is required to create a paragraph', async () => {
    const post = (type: string, as: As) =>
      site.repository.post('/entity/paragraph?_format=json', { type, field_text: ['x'] }, as);
    for (const [type, as, status] of [
      ['note', 'writer', 201],
      ['note', 'keeper', 201],
      ['chapter', 'keeper', 201],
      ['chapter', 'writer', 403],
      ['note', 'remover', 403],
      ['note', undefined, 401],
    ] as const)
      expect({ type, as, status: (await post(type, as)).status }).toEqual({ type, as, status });
    // A caller who may create none at all gets the type in the message, too.
    for (const as of ['writer', 'nobody-special'])
      expect(await (await post('chapter', as)).json()).toEqual({
        message:
          "The following permissions are required: 'create paragraph content chapter' OR 'bypass paragraphs type content access'.",
      });
  });

  it('gives no right to change parts of an entity that one may not change', async () => {
    const inner = await site.paragraph();
    const outer = await site.paragraph({ field_parts: [refer(inner)] });
    await site.report([refer(outer)]);
    for (const each of [inner, outer]) {
      const response = await patch(each, { field_text: ['Changed'] }, 'reader');
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 403,
        body: { message: 'You may change or delete a paragraph if you may change the entity that contains it.' },
      });
      expect(await remove(each, 'reader')).toBe(403);
    }
  });

  it('allows changes and deletion of visible paragraphs only', async () => {
    const [seen, unseen] = [await site.paragraph(), await site.paragraph()];
    await site.report([refer(seen)]);
    const hidden = await site.report([refer(unseen)]);
    await hide(hidden);
    const body = { field_text: ['Changed'] };
    for (const [paragraph, as, status] of [
      [seen, 'writer', 200],
      [seen, 'keeper', 200],
      [seen, 'remover', 403],
      [unseen, 'writer', 403],
      [unseen, 'keeper', 403],
    ] as const)
      expect({ as, status: (await patch(paragraph, body, as)).status }).toEqual({ as, status });
    expect(await remove(unseen, 'remover')).toBe(403);
    expect(await remove(seen, 'writer')).toBe(403);
    expect(await remove(seen, 'remover')).toBe(204);
    expect(await remove(unseen, 'admin')).toBe(204);
  });
});

describe('a reference to a paragraph that the caller may not see', () => {
  const refused = async (target: object) => {
    const response = await site.repository.post(
      '/node?_format=json',
      { type: 'report', title: ['x'], field_parts: [target] },
      'reporter',
    );
    return [response.status, ((await response.json()) as EntityJson).message];
  };
  const line = (text: string) => [422, `Unprocessable Entity: validation failed.\nfield_parts.0.target_id: ${text}\n`];

  it('is refused without details about its host or revisions', async () => {
    const [alone, inHidden, unpublished] = [
      await site.paragraph(),
      await site.paragraph(),
      await site.paragraph({ status: [false] }),
    ];
    await hide(await site.report([refer(inHidden)]));
    for (const each of [alone, inHidden]) {
      const { target_id } = refer(each);
      const text = `You do not have access to the referenced entity (paragraph: ${target_id}).`;
      expect(await refused(refer(each))).toEqual(line(text));
      expect(await refused({ target_id, target_revision_id: 999_999 })).toEqual(line(text));
      expect(await refused({ target_uuid: each.uuid[0].value })).toEqual(line(text));
    }
    const { target_id } = refer(unpublished);
    expect(await refused({ target_id })).toEqual(line(`This entity (paragraph: ${target_id}) cannot be referenced.`));
  });

  it('stays when other references are added', async () => {
    const [hidden, own] = [await site.paragraph({ status: [false] }), await site.paragraph({}, 'reporter')];
    const report = await site.report([refer(hidden)]);
    const response = await site.repository.patch(
      `/node/${report.nid[0].value}?_format=json`,
      { type: 'report', field_parts: [refer(hidden), refer(own)] },
      'reporter',
    );
    expect(response.status).toBe(200);
    expect(((await response.json()) as EntityJson).field_parts).toMatchObject([refer(hidden), refer(own)]);
  });
});
