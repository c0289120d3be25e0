import { afterAll, beforeAll, expect, it } from 'bun:test';
import { ADMIN_PAGES } from '../../../src/pages/admin/admin-pages.ts';
import { paths } from '../../../src/paths.ts';
import { untitledReport } from '../../fixtures/untitled-report.tsx';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const { path, label } = untitledReport;

let repository: TestRepository;
let admin: FormBrowser;
let reader: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository({}, { adminPages: [...ADMIN_PAGES, untitledReport] });
  await repository.user('reader');
  admin = await signedIn(repository, 'admin');
  reader = await signedIn(repository, 'reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

it('a new page for the management is listed with its description', async () => {
  const page = await admin.open(paths.admin);
  expect(page.elements(`dt a[href="${path}"]`).map(({ text }) => text)).toEqual([label]);
  expect(page.elements('dd').at(-1)?.text).toBe(untitledReport.description);
});

it('a new page for the management has a tab on the pages of its group', async () => {
  const tabs = (await admin.open(paths.nodeOverview)).elements('nav.tabs a');
  expect(tabs.at(-1)).toMatchObject({ text: label, attributes: { href: path } });
  const own = (await admin.open(path)).elements('nav.tabs a');
  expect(own.map(({ text }) => text)).toEqual(tabs.map(({ text }) => text));
  expect(own.at(-1)?.attributes['aria-current']).toBe('page');
});

it('a new page for the management opens with its permission alone', async () => {
  expect((await admin.open(path)).status).toBe(200);
  expect((await reader.open(path)).status).toBe(403);
  expect((await repository.get(path)).status).toBe(401);
  expect((await reader.open(paths.admin)).status).toBe(403);
});

it('a new page for the management is no operation of the API', async () => {
  const document = await (await repository.get(paths.openapi)).text();
  expect(document).not.toContain(path);
});
