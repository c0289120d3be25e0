import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { createParagraphSite, type ParagraphSite, pathOf, refer } from '../../support/paragraph-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: ParagraphSite;
beforeAll(async () => {
  site = await createParagraphSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  expect(await auditServices(site.repository.running.services, true)).toEqual([]);
  await site.stop();
});

const idOf = ({ id }: EntityJson): number => id[0].value;
const isGone = async (paragraph: EntityJson) => (await site.status(pathOf(paragraph), 'admin')) === 404;
const hostOf = async (paragraph: EntityJson) => {
  const { parent_type, parent_id, parent_field_name } = await site.read(pathOf(paragraph));
  return [parent_type, parent_id, parent_field_name].map((items) => items[0]?.value);
};
const postReport = (fields: object) =>
  site.repository.post('/node?_format=json', { type: 'report', title: ['x'], ...fields }, 'admin');
const patchReport = (report: EntityJson, fields: object) =>
  site.repository.patch(`/node/${report.nid[0].value}?_format=json`, { type: 'report', ...fields }, 'admin');
const refusal = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as EntityJson).message,
];
const invalid = (line: string): [number, string] => [422, `Unprocessable Entity: validation failed.\n${line}\n`];

describe('a referenced paragraph', () => {
  it('names its host and field, and the reference names its revision', async () => {
    const [first, second] = [await site.paragraph(), await site.paragraph()];
    const report = await site.report([refer(first), { target_id: idOf(second) }]);
    expect(report.field_parts).toEqual([
      { ...refer(first), target_type: 'paragraph', target_uuid: first.uuid[0].value },
      { ...refer(second), target_type: 'paragraph', target_uuid: second.uuid[0].value },
    ]);
    for (const each of [first, second])
      expect(await hostOf(each)).toEqual(['node', String(report.nid[0].value), 'field_parts']);
  });

  it('can also be referenced by UUID', async () => {
    const paragraph = await site.paragraph();
    const report = await site.report([{ target_type: 'paragraph', target_uuid: paragraph.uuid[0].value }]);
    expect(report.field_parts).toMatchObject([refer(paragraph)]);
  });

  it('can belong to a term or to another paragraph', async () => {
    const [ofTerm, inner] = [await site.paragraph(), await site.paragraph()];
    const outer = await site.paragraph({ field_parts: [refer(inner)] });
    expect(await hostOf(inner)).toEqual(['paragraph', String(idOf(outer)), 'field_parts']);
    const term = await site.repository.post(
      '/taxonomy/term?_format=json',
      { vid: 'topic', name: ['A topic'], field_parts: [refer(ofTerm)] },
      'admin',
    );
    expect(term.status).toBe(201);
    expect(await hostOf(ofTerm)).toEqual([
      'taxonomy_term',
      String(((await term.json()) as EntityJson).tid[0].value),
      'field_parts',
    ]);
  });

  it('can belong to a media, and is hidden and deleted with it', async () => {
    const upload = await site.repository.fetch('/file/upload/media/scan/field_bytes?_format=json', {
      method: 'POST',
      as: 'admin',
      body: 'A scan',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="scan.txt"' },
    });
    const { fid } = (await upload.json()) as EntityJson;
    const paragraph = await site.paragraph();
    const response = await site.repository.post(
      '/entity/media?_format=json',
      { bundle: 'scan', field_bytes: [{ target_id: fid[0].value }], field_parts: [refer(paragraph)] },
      'admin',
    );
    expect(response.status).toBe(201);
    const { mid } = (await response.json()) as EntityJson;
    expect(await hostOf(paragraph)).toEqual(['media', String(mid[0].value), 'field_parts']);
    const statuses = async () => [await site.status(pathOf(paragraph), 'admin'), await site.status(pathOf(paragraph))];
    expect(await statuses()).toEqual([200, 200]);
    const hide = { bundle: 'scan', status: [false] };
    expect((await site.repository.patch(`/media/${mid[0].value}`, hide, 'admin')).status).toBe(200);
    expect(await statuses()).toEqual([200, 401]);
    expect((await site.repository.delete(`/media/${mid[0].value}`, 'admin')).status).toBe(204);
    expect(await isGone(paragraph)).toBe(true);
  });

  it('can be added later, moved to another field and restored by a revert', async () => {
    const [first, second] = [await site.paragraph(), await site.paragraph()];
    const report = await site.report([refer(first)]);
    const { nid } = report;
    expect((await patchReport(report, { field_parts: [refer(first), refer(second)] })).status).toBe(200);
    expect(await hostOf(second)).toEqual(['node', String(nid[0].value), 'field_parts']);
    expect((await patchReport(report, { field_parts: [], field_notes: [refer(second)] })).status).toBe(200);
    expect(await hostOf(second)).toEqual(['node', String(nid[0].value), 'field_notes']);
    // A former revision of the report still names it.
    expect(await hostOf(first)).toEqual(['node', String(nid[0].value), 'field_parts']);
    expect((await patchReport(report, { field_parts: [refer(first)] })).status).toBe(200);
    const reverted = await site.repository.post(
      `/node/${nid[0].value}/revisions/${report.vid[0].value}/revert?_format=json`,
      {},
      'admin',
    );
    expect(reverted.status).toBeLessThan(300);
    expect((await site.read(`/node/${nid[0].value}`)).field_parts).toMatchObject([refer(first)]);
  });

  it('gets another ETag', async () => {
    const paragraph = await site.paragraph();
    const path = `${pathOf(paragraph)}?_format=json`;
    const etag = (await site.repository.get(path, 'admin')).headers.get('etag') as string;
    await site.report([refer(paragraph)]);
    const late = await site.repository.patch(path, { type: 'note', field_text: ['x'] }, 'admin', { 'If-Match': etag });
    expect(late.status).toBe(412);
    expect((await site.repository.get(path, 'admin', { 'If-None-Match': etag })).status).toBe(200);
  });

  it('is referenced in the given revision, or else in the current one', async () => {
    const chapter = await site.paragraph({ type: 'chapter' });
    await site.repository.patch(`${pathOf(chapter)}?_format=json`, { type: 'chapter', field_text: ['New'] }, 'admin');
    const report = await site.report([refer(chapter)]);
    expect(report.field_parts).toMatchObject([refer(chapter)]);
    const changed = await patchReport(report, { field_parts: [{ target_id: idOf(chapter) }] });
    expect(((await changed.json()) as EntityJson).field_parts).toMatchObject([refer(await site.read(pathOf(chapter)))]);
  });
});

describe('a reference to a paragraph', () => {
  it('is refused if the paragraph was deleted', async () => {
    const gone = await site.paragraph();
    await site.repository.delete(`${pathOf(gone)}?_format=json`, 'admin');
    const id = idOf(gone);
    expect(await refusal(await postReport({ field_parts: [refer(gone)] }))).toEqual(
      invalid(`field_parts.0.target_id: The referenced entity (paragraph: ${id}) does not exist.`),
    );
  });

  it('is refused with a revision of another paragraph or an invalid one', async () => {
    const [one, other] = [await site.paragraph(), await site.paragraph()];
    const ids = { target_id: idOf(one), target_revision_id: refer(other).target_revision_id };
    expect(await refusal(await postReport({ field_parts: [ids] }))).toEqual(
      invalid(
        `field_parts.0.target_revision_id: The referenced entity (paragraph: ${idOf(one)}) has no revision ${ids.target_revision_id}.`,
      ),
    );
    const wrong = await postReport({ field_parts: [{ target_id: idOf(one), target_revision_id: 'latest' }] });
    expect((await refusal(wrong))[0]).toBe(422);
    expect(await hostOf(one)).toEqual([undefined, undefined, undefined]);
  });

  it('is refused for a type that the field does not accept', async () => {
    const chapter = await site.paragraph({ type: 'chapter' });
    expect(await refusal(await postReport({ field_notes: [refer(chapter)] }))).toEqual(
      invalid(`field_notes.0.target_id: This entity (paragraph: ${idOf(chapter)}) cannot be referenced.`),
    );
  });

  it('is refused if the paragraph belongs to another entity', async () => {
    const paragraph = await site.paragraph();
    const report = await site.report([refer(paragraph)]);
    const line = `field_parts.0.target_id: This entity (paragraph: ${idOf(paragraph)}) cannot be referenced: it belongs to node ${report.nid[0].value}, and a paragraph belongs to one entity only.`;
    expect(await refusal(await postReport({ field_parts: [refer(paragraph)] }))).toEqual(invalid(line));
    const outer = await site.repository.post(
      '/entity/paragraph?_format=json',
      { type: 'note', field_text: ['x'], field_parts: [refer(paragraph)] },
      'admin',
    );
    expect(await refusal(outer)).toEqual(invalid(line));
  });

  it('succeeds for one of eight simultaneous requests', async () => {
    for (let round = 0; round < 5; round++) {
      const paragraph = await site.paragraph();
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => postReport({ field_parts: [refer(paragraph)] })),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 7 }, () => 422)]);
      const winner = (await responses.find(({ status }) => status === 201)?.json()) as EntityJson;
      expect(await hostOf(paragraph)).toEqual(['node', String(winner.nid[0].value), 'field_parts']);
    }
  });

  it('is refused if the paragraph would contain itself', async () => {
    const inner = await site.paragraph();
    const middle = await site.paragraph({ field_parts: [refer(inner)] });
    const outer = await site.paragraph({ field_parts: [refer(middle)] });
    const patch = (paragraph: EntityJson, target: EntityJson) =>
      site.repository.patch(
        `${pathOf(paragraph)}?_format=json`,
        { type: 'note', field_parts: [refer(target)] },
        'admin',
      );
    for (const [paragraph, target] of [
      [outer, outer],
      [inner, outer],
    ] as const)
      expect(await refusal(await patch(paragraph, target))).toEqual(
        invalid(
          `field_parts.0.target_id: This entity (paragraph: ${idOf(target)}) cannot be referenced: it is the paragraph itself or contains it.`,
        ),
      );
  });

  it('is refused if more than 32 paragraphs would be nested', async () => {
    const innermost = await site.paragraph();
    let outermost = innermost;
    for (let count = 1; count < 32; count++) outermost = await site.paragraph({ field_parts: [refer(outermost)] });
    const message = (id: number) =>
      invalid(
        `field_parts.0.target_id: This entity (paragraph: ${id}) cannot be referenced: more than 32 paragraphs would be nested.`,
      );
    const around = await site.repository.post(
      '/entity/paragraph?_format=json',
      { type: 'note', field_text: ['x'], field_parts: [refer(outermost)] },
      'admin',
    );
    expect(await refusal(around)).toEqual(message(idOf(outermost)));
    const one = await site.paragraph();
    const within = await site.repository.patch(
      `${pathOf(innermost)}?_format=json`,
      { type: 'note', field_parts: [refer(one)] },
      'admin',
    );
    expect(await refusal(within)).toEqual(message(idOf(one)));
    // A node is no paragraph, and all of them are seen with it.
    await site.report([refer(outermost)]);
    expect(await site.status(pathOf(innermost))).toBe(200);
  });

  it('is refused in one of two requests that would form a cycle', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await site.paragraph(), await site.paragraph()];
      const into = (host: EntityJson, part: EntityJson) =>
        site.repository.patch(`${pathOf(host)}?_format=json`, { type: 'note', field_parts: [refer(part)] }, 'admin');
      const responses = await Promise.all([into(one, other), into(other, one)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });
});

describe('a deleted host', () => {
  it('takes nested paragraphs along, even those removed from a field', async () => {
    const inner = await site.paragraph();
    const outer = await site.paragraph({ field_parts: [refer(inner)] });
    const [leftOut, other] = [await site.paragraph(), await site.paragraph()];
    const report = await site.report([refer(outer), refer(leftOut)]);
    await patchReport(report, { field_parts: [refer(outer)] });
    const response = await site.repository.delete(`/node/${report.nid[0].value}?_format=json`, 'admin');
    expect(response.status).toBe(204);
    for (const each of [inner, outer, leftOut]) expect(await isGone(each)).toBe(true);
    expect(await isGone(other)).toBe(false);
    const { client } = site.repository.running.services.database;
    const ids = JSON.stringify([inner, outer, leftOut].map(idOf));
    const left = await client.execute({
      sql: `SELECT (SELECT count(*) FROM paragraph_revision WHERE entity_id IN (SELECT value FROM json_each(?1))),
        (SELECT count(*) FROM reference WHERE (source_type = 'paragraph' AND source_id IN (SELECT value FROM json_each(?1)))
          OR (target_type = 'paragraph' AND target_id IN (SELECT value FROM json_each(?1))))`,
      args: [ids],
    });
    expect({ first: left.rows[0]?.[0], second: left.rows[0]?.[1] }).toEqual({ first: 0, second: 0 });
  });

  it('leaves no paragraph that a simultaneous write adds', async () => {
    for (let round = 0; round < 10; round++) {
      const paragraph = await site.paragraph();
      const report = await site.report([]);
      const [patched, deleted] = await Promise.all([
        patchReport(report, { field_parts: [refer(paragraph)] }),
        site.repository.delete(`/node/${report.nid[0].value}?_format=json`, 'admin'),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(patched.status);
      if (patched.status === 200) expect(await isGone(paragraph)).toBe(true);
      else expect(await hostOf(paragraph)).toEqual([undefined, undefined, undefined]);
    }
  });

  it('takes its paragraphs along as a parent term or as a paragraph', async () => {
    const [ofTerm, inner] = [await site.paragraph(), await site.paragraph()];
    const post = async (body: object) =>
      (await (await site.repository.post('/taxonomy/term?_format=json', { vid: 'topic', ...body }, 'admin')).json())
        .tid[0].value as number;
    const above = await post({ name: ['Above'] });
    await post({ name: ['Below'], parent: [{ target_id: above }], field_parts: [refer(ofTerm)] });
    expect((await site.repository.delete(`/taxonomy/term/${above}?_format=json`, 'admin')).status).toBe(204);
    expect(await isGone(ofTerm)).toBe(true);
    const outer = await site.paragraph({ field_parts: [refer(inner)] });
    expect((await site.repository.delete(`${pathOf(outer)}?_format=json`, 'admin')).status).toBe(204);
    expect(await isGone(inner)).toBe(true);
  });
});
