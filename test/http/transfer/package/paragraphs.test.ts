import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Package } from '../../../../src/transfer/files/package.ts';
import { checkPackage } from '../../../../src/transfer/package/check-package.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { restorePackage } from '../../../../src/transfer/package/restore-package.ts';
import { auditServices } from '../../../support/audit.ts';
import { bytesOf, withFiles } from '../../../support/made-package.ts';
import { createParagraphSite, type ParagraphSite, pathOf, refer } from '../../../support/paragraph-site.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import type { EntityJson } from '../../../support/test-repository.ts';

let origin: ParagraphSite;
let target: ParagraphSite;
beforeAll(async () => {
  [origin, target] = await Promise.all([createParagraphSite(), createParagraphSite()]);
  // So that no id is the same by chance.
  for (let count = 0; count < 7; count++) await target.paragraph({ type: 'chapter' });
});
afterAll(async () => {
  for (const site of [origin, target]) {
    expect(site.repository.failures()).toEqual([]);
    expect(await auditServices(site.repository.running.services, true)).toEqual([]);
    await site.stop();
  }
});

const patch = async (path: string, body: object) => {
  const response = await origin.repository.patch(`${path}?_format=json`, body, 'admin');
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as EntityJson;
};
const packed = async ({ nid }: EntityJson): Promise<Package> =>
  packageOf(await loadContextOf(origin.repository), nid[0].value);
const restore = async (whole: Package) => restorePackage(await loadContextOf(target.repository), whole);
const uuidOf = ({ uuid }: EntityJson): string => uuid[0].value;

async function idHere(type: 'node' | 'paragraph' | 'taxonomy_term', uuid: string): Promise<number | undefined> {
  const { rows } = await target.repository.running.services.database.client.execute({
    sql: `SELECT id FROM ${type} WHERE uuid = ?`,
    args: [uuid],
  });
  return rows[0] === undefined ? undefined : Number(rows[0][0]);
}
const paragraphHere = async (paragraph: EntityJson) =>
  target.read(`/entity/paragraph/${await idHere('paragraph', uuidOf(paragraph))}`);

describe('the package of a node with paragraphs', () => {
  it('restores them elsewhere, nested, with revisions and references', async () => {
    const term = await origin.repository.post('/taxonomy/term', { vid: 'topic', name: ['Steam'] }, 'admin');
    const { tid } = (await term.json()) as EntityJson;
    const inner = await origin.paragraph({ field_text: ['Inner'], field_subject: [{ target_id: tid[0].value }] });
    const chapter = await origin.paragraph({ type: 'chapter', field_text: ['First'], field_parts: [refer(inner)] });
    const leftOut = await origin.paragraph({ field_text: ['Left out'] });
    const report = await origin.report([refer(chapter), refer(leftOut)]);
    await patch(pathOf(chapter), { type: 'chapter', field_text: ['Second'] });
    await patch(`/node/${report.nid[0].value}`, { type: 'report', field_parts: [refer(chapter)] });

    const whole = await packed(report);
    const last = whole.versions.at(-1)?.files ?? new Map();
    expect([...last.keys()].filter((path) => path.startsWith('paragraphs/')).sort()).toEqual(
      [inner, chapter, leftOut].map((each) => `paragraphs/${uuidOf(each)}.json`).sort(),
    );
    expect((await bytesOf(last.get('README.txt'))).toString()).toContain('\nparagraphs/<uuid>.json ');
    const context = await loadContextOf(target.repository);
    expect((await checkPackage(context, whole)).problems).toEqual([]);
    const { created, problems, notes } = await restore(whole);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(created).toMatchObject({ nodes: 1, paragraphs: 3, terms: 1 });

    const node = await target.read(`/node/${await idHere('node', uuidOf(report))}`);
    const [chapterHere, innerHere, leftOutHere] = [
      await paragraphHere(chapter),
      await paragraphHere(inner),
      await paragraphHere(leftOut),
    ];
    // The revision that the node names is the first of two.
    expect(node.field_parts).toMatchObject([
      { target_id: chapterHere.id[0].value, target_uuid: uuidOf(chapter), target_type: 'paragraph' },
    ]);
    const [{ target_revision_id }] = node.field_parts;
    expect(target_revision_id).toBeLessThan(chapterHere.revision_id[0].value);
    const snapshot = await target.repository.running.services.database.client.execute({
      sql: "SELECT snapshot ->> 'document' FROM paragraph_revision WHERE id = ?",
      args: [target_revision_id],
    });
    expect(JSON.parse(String(snapshot.rows[0]?.[0])).field_text).toEqual([{ value: 'First' }]);
    expect(chapterHere.field_text).toEqual([{ value: 'Second' }]);
    expect(chapterHere.field_parts).toMatchObject([refer(innerHere)]);
    const ofNode = { parent_type: [{ value: 'node' }], parent_id: [{ value: String(node.nid[0].value) }] };
    expect(chapterHere).toMatchObject({ ...ofNode, parent_field_name: [{ value: 'field_parts' }] });
    expect(leftOutHere).toMatchObject(ofNode);
    expect(innerHere).toMatchObject({
      parent_type: [{ value: 'paragraph' }],
      field_subject: [{ target_type: 'taxonomy_term' }],
    });

    const again = await restore(whole);
    expect({ problems: again.problems, created: again.created }).toMatchObject({
      problems: [],
      created: { nodes: 0, paragraphs: 0 },
    });
    expect((await checkPackage(context, whole)).isPresent).toBe(true);
  });

  it('restores paragraphs that refer to their own node', async () => {
    const before = await origin.paragraph();
    const report = await origin.report([refer(before)]);
    const about = await origin.paragraph({ field_about: [{ target_id: report.nid[0].value }] });
    await patch(`/node/${report.nid[0].value}`, { type: 'report', field_parts: [refer(before), refer(about)] });
    const whole = await packed(report);
    expect((await checkPackage(await loadContextOf(target.repository), whole)).problems).toEqual([]);
    const { created, problems, waitsFor } = await restore(whole);
    expect({ problems, waitsFor }).toEqual({ problems: [], waitsFor: [] });
    expect(created).toMatchObject({ nodes: 1, paragraphs: 2, completed: 1 });
    const [beforeHere, aboutHere] = [await paragraphHere(before), await paragraphHere(about)];
    const { field_parts, nid } = await target.read(`/node/${await idHere('node', uuidOf(report))}`);
    expect(field_parts).toMatchObject([refer(beforeHere), refer(aboutHere)]);
    for (const each of [beforeHere, aboutHere]) expect(each.parent_id).toEqual([{ value: String(nid[0].value) }]);
  });

  it('restores media that only a paragraph refers to', async () => {
    const upload = await origin.repository.fetch('/file/upload/media/scan/field_bytes?_format=json', {
      method: 'POST',
      as: 'admin',
      body: 'A scan',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="scan.txt"' },
    });
    const field_bytes = [{ target_id: ((await upload.json()) as EntityJson).fid[0].value }];
    const ofScan = await origin.paragraph();
    const body = { bundle: 'scan', name: ['Scan'], field_bytes, field_parts: [refer(ofScan)] };
    const response = await origin.repository.post('/entity/media?_format=json', body, 'admin');
    const { mid } = (await response.json()) as EntityJson;
    const inner = await origin.paragraph({ type: 'chapter', field_scan: [{ target_id: mid[0].value }] });
    const whole = await packed(await origin.report([refer(await origin.paragraph({ field_parts: [refer(inner)] }))]));
    expect((await checkPackage(await loadContextOf(target.repository), whole)).problems).toEqual([]);
    const { created, problems, notes } = await restore(whole);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(created).toMatchObject({ nodes: 1, media: 1, paragraphs: 3, files: 1 });
    expect((await paragraphHere(inner)).field_scan).toMatchObject([{ target_type: 'media' }]);
  });

  it('is restored unchanged after everything was deleted', async () => {
    const paragraph = await origin.paragraph();
    const report = await origin.report([refer(paragraph)]);
    const whole = await packed(report);
    await origin.repository.delete(`/node/${report.nid[0].value}`, 'admin');
    expect(await origin.status(pathOf(paragraph), 'admin')).toBe(404);
    const { problems } = await restorePackage(await loadContextOf(origin.repository), whole);
    expect(problems).toEqual([]);
    const { rows } = await origin.repository.running.services.database.client.execute({
      sql: 'SELECT id FROM paragraph WHERE uuid = ?',
      args: [uuidOf(paragraph)],
    });
    expect((await origin.read(`/entity/paragraph/${rows[0]?.[0]}`)).field_text).toEqual(paragraph.field_text);
  });

  it('leaves the paragraphs of an existing node unchanged', async () => {
    const [kept, removed] = [await origin.paragraph(), await origin.paragraph()];
    const whole = await packed(await origin.report([refer(kept), refer(removed)]));
    await restore(whole);
    const path = `/entity/paragraph/${await idHere('paragraph', uuidOf(removed))}`;
    expect((await target.repository.delete(path, 'admin')).status).toBe(204);
    const { created, problems } = await restore(whole);
    expect({ problems, created: created.paragraphs, removed: await idHere('paragraph', uuidOf(removed)) }).toEqual({
      problems: [],
      created: 0,
      removed: undefined,
    });
  });

  it('does not restore a term that was deleted while the node was incomplete', async () => {
    const term = await origin.repository.post('/taxonomy/term', { vid: 'topic', name: ['Deleted'] }, 'admin');
    const subject = (await term.json()) as EntityJson;
    const here = await origin.paragraph({ field_subject: [{ target_id: subject.tid[0].value }] });
    const other = await origin.report([]);
    const late = await origin.paragraph({ field_about: [{ target_id: other.nid[0].value }] });
    const whole = await packed(await origin.report([refer(here), refer(late)]));
    const context = await loadContextOf(target.repository);
    const isExpected = (uuid: string) => uuid === uuidOf(other);
    const waiting = await restorePackage(context, whole, { isExpected });
    expect(waiting).toMatchObject({ created: { nodes: 1, paragraphs: 1, terms: 1 }, problems: [] });
    expect(waiting.waitsFor).toContain(uuidOf(other));
    const path = `/taxonomy/term/${await idHere('taxonomy_term', uuidOf(subject))}`;
    expect((await target.repository.delete(path, 'admin')).status).toBe(204);
    await restorePackage(context, whole, { isExpected });
    expect(await idHere('taxonomy_term', uuidOf(subject))).toBeUndefined();
    await restore(await packed(other));
    expect(await restore(whole)).toMatchObject({ created: { paragraphs: 1, terms: 0, completed: 1 }, problems: [] });
  });

  it('adds no paragraph to a node that was changed while incomplete', async () => {
    const other = await origin.report([]);
    const late = await origin.paragraph({ field_about: [{ target_id: other.nid[0].value }] });
    const report = await origin.report([refer(late)]);
    const whole = await packed(report);
    const context = await loadContextOf(target.repository);
    const waiting = await restorePackage(context, whole, { isExpected: (uuid) => uuid === uuidOf(other) });
    expect(waiting.created).toMatchObject({ nodes: 1, paragraphs: 0 });
    const path = `/node/${await idHere('node', uuidOf(report))}?_format=json`;
    const changed = await target.repository.patch(path, { type: 'report', title: ['Changed'] }, 'admin');
    expect(changed.status).toBe(200);
    await restore(await packed(other));
    const { created, problems, notes } = await restore(whole);
    expect({ created: created.paragraphs, problems, late: await idHere('paragraph', uuidOf(late)) }).toEqual({
      created: 0,
      problems: [],
      late: undefined,
    });
    expect(notes).toEqual(['node.json was changed before all of its references could be added: it keeps that state.']);
    expect((await checkPackage(context, whole)).isPresent).toBe(true);
  });

  it('ignores different bytes of a file of a removed paragraph', async () => {
    const upload = await origin.repository.fetch('/file/upload/paragraph/note/field_paper?_format=json', {
      method: 'POST',
      as: 'admin',
      body: 'A paper',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="paper.txt"' },
    });
    const { fid, uuid } = (await upload.json()) as EntityJson;
    const paragraph = await origin.paragraph({ field_paper: [{ target_id: fid[0].value }] });
    const whole = await packed(await origin.report([refer(paragraph)]));
    await restore(whole);
    const path = `/entity/paragraph/${await idHere('paragraph', uuidOf(paragraph))}`;
    expect((await target.repository.delete(path, 'admin')).status).toBe(204);
    const { client } = target.repository.running.services.database;
    const { rows } = await client.execute({ sql: 'SELECT sha256 FROM file WHERE uuid = ?', args: [uuid[0].value] });
    const say = (sha256: string) =>
      client.execute({ sql: 'UPDATE file SET sha256 = ? WHERE uuid = ?', args: [sha256, uuid[0].value] });
    await say('0'.repeat(64));
    const { problems } = await checkPackage(await loadContextOf(target.repository), whole);
    await say(String(rows[0]?.[0]));
    expect(problems).toEqual([]);
  });

  it('is rejected if a paragraph is missing or belongs to something else', async () => {
    const paragraph = await origin.paragraph();
    const report = await origin.report([refer(paragraph)]);
    const path = `paragraphs/${uuidOf(paragraph)}.json`;
    const without = await withFiles(await packed(report), (files) => void files.delete(path));
    const context = await loadContextOf(target.repository);
    expect((await checkPackage(context, without)).problems).toEqual([
      {
        path: 'node.json field_parts.0',
        message: `It refers to paragraph ${uuidOf(paragraph)}. Neither the repository nor the package has this entity.`,
      },
    ]);

    const taken = await target.paragraph({ uuid: [uuidOf(paragraph)] });
    const other = await target.report([refer(taken)]);
    const message = `This entity (paragraph: ${taken.id[0].value}) cannot be referenced: it belongs to node ${other.nid[0].value}, and a paragraph belongs to one entity only.`;
    expect((await checkPackage(context, await packed(report))).problems).toEqual([
      { path: 'node.json field_parts.0.target_id', message },
    ]);
    const { created, problems } = await restore(await packed(report));
    expect({ nodes: created.nodes, problems }).toEqual({
      nodes: 0,
      problems: [{ path: 'node.json field_parts.0.target_id', message }],
    });
  });

  it('does not mention paragraphs if there are none', async () => {
    const { versions } = await packed(await origin.report([]));
    const readme = versions.at(-1)?.files.get('README.txt');
    expect(readme && (await bytesOf(readme)).toString()).not.toContain('paragraphs');
  });
});
