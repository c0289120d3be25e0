import { afterAll, beforeAll, expect, it } from 'bun:test';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { restorePackage } from '../../../../src/transfer/package/restore-package.ts';
import { bytesOf } from '../../../support/made-package.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

const MODEL = `
vocabularies:
  subject:
    fields:
      field_map: { label: Map, type: file, file_extensions: [txt] }
`;

let source: TestRepository;
let target: TestRepository;
beforeAll(async () => {
  source = await createTestRepository({}, { model: MODEL });
  target = await createTestRepository({}, { model: MODEL });
}, 30_000);
afterAll(async () => {
  await source?.stop();
  await target?.stop();
});

it('a package contains and restores the files of its terms', async () => {
  const upload = await source.fetch('/file/upload/taxonomy_term/subject/field_map?_format=json', {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="map.txt"' },
    body: 'where it is',
    as: 'admin',
  });
  const file = (await upload.json()) as EntityJson;
  const term = {
    vid: [{ target_id: 'subject' }],
    name: [{ value: 'Place' }],
    field_map: [{ target_id: file.fid[0].value }],
  };
  const made = (await (await source.post('/taxonomy/term?_format=json', term, 'admin')).json()) as EntityJson;
  const { nid } = await source.node({ field_subject: [{ target_id: made.tid[0].value }] });
  const found = await packageOf(await loadContextOf(source), nid[0].value);
  const bytes = found.versions.at(-1)?.files.get(`files/${file.uuid[0].value}/map.txt`);
  expect(bytes && (await bytesOf(bytes)).toString()).toBe('where it is');
  const outcome = await restorePackage(await loadContextOf(target), found);
  expect(outcome).toMatchObject({ problems: [], waitsFor: [], created: { terms: 1, nodes: 1, files: 1 } });
});
