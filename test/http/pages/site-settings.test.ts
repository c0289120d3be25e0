import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { elementsOf } from '../../support/page.ts';
import { PNG, signIn } from '../../support/repository-routes.ts';
import { startServer } from '../../support/server-process.ts';
import {
  ADMIN_PASSWORD,
  createTestRepository,
  othersFollow,
  type TestRepository,
} from '../../support/test-repository.ts';

const PATH = '/admin/config/site';
const BROWSER = { Accept: 'text/html,*/*;q=0.8' };
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50"><path d="M0 0h9"/></svg>';

let folder: string;
let repository: TestRepository;
let cookie: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-site-settings-'));
  const logo = join(folder, 'logo.svg');
  await writeFile(logo, SVG);
  repository = await createTestRepository({
    siteName: 'Name of the file',
    site: { ...DEFAULT_SERVER_CONFIG.site, logo, accent: '#8a2b4f' },
  });
  await repository.user('reader');
  ({ cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD));
});
afterEach(async () => {
  const boxes = elementsOf(await (await form()).text(), 'input[name=restore]');
  await save(boxes.map(({ attributes }) => ['restore', attributes.value ?? '']));
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  await rm(folder, { recursive: true });
});

const form = () => repository.get(PATH, undefined, { ...BROWSER, Cookie: cookie });
const home = async () => (await repository.get('/', undefined, BROWSER)).text();
const textOf = (html: string, selector: string) => elementsOf(html, selector)[0]?.text;

/** Sends the form with some of its fields, as a browser does. */
async function save(fields: readonly (readonly [string, string | File])[]): Promise<Response> {
  const token = elementsOf(await (await form()).text(), 'input[name=form_token]')[0]?.attributes.value ?? '';
  const body = new FormData();
  for (const [name, value] of [['form_token', token] as const, ...fields]) body.append(name, value);
  const headers = { Cookie: cookie, Origin: repository.url };
  return repository.fetch(PATH, { method: 'POST', body, headers, redirect: 'manual' });
}
const image = (name: string, bytes: BlobPart, type: string) => new File([bytes], name, { type });
/** The rows of changed settings, by their names. */
async function stored(): Promise<object> {
  const rows = await repository.running.services.database.all(ALL_ROWS);
  return Object.fromEntries(rows as [string, string][]);
}
const ALL_ROWS = {
  sql: "SELECT name, value FROM setting WHERE name LIKE 'config.%'",
  args: [],
  toRow: (row: Readonly<Record<number, unknown>>) => [row[0], row[1]],
};

describe('the settings of the site', () => {
  it('are shown to administrators only', async () => {
    expect((await repository.get(PATH, 'reader', BROWSER)).status).toBe(403);
    const html = await (await form()).text();
    expect(elementsOf(html, 'input[name=siteName]')[0]?.attributes.value).toBe('Name of the file');
    expect(elementsOf(html, "input[name='site.accent']")[0]?.attributes.value).toBe('#8a2b4f');
    expect(elementsOf(html, 'input[name=restore]')).toEqual([]);
  });

  it('replace those of the file with the next request', async () => {
    const answer = await save([
      ['siteName', 'Harbour Archives'],
      ['site.introduction', 'One.\r\n\r\nTwo.'],
      ['site.accent', '#0b4f6c'],
      ['site.contact', 'desk@example.org'],
      ['site.menu.label', 'Help'],
      ['site.menu.address', '/node/7'],
      ['site.footerLinks.label', 'Reuse'],
      ['site.footerLinks.address', 'https://example.org/reuse'],
    ]);
    expect(answer.status).toBe(303);
    const html = await home();
    expect(textOf(html, 'h1')).toBe('Harbour Archives');
    expect(elementsOf(html, '.hero p').map(({ text }) => text)).toEqual(['One.', 'Two.']);
    expect(elementsOf(html, 'header.site nav a').map(({ text }) => text)).toEqual(['Collections', 'Help', 'Sign in']);
    expect(elementsOf(html, 'footer.site nav a').map(({ text, attributes }) => [text, attributes.href])).toEqual([
      ['Reuse', 'https://example.org/reuse'],
      ['Contact', 'mailto:desk@example.org'],
    ]);
    const style = elementsOf(html, 'link[href$="accent.css"]')[0]?.attributes.href ?? '';
    expect(await (await repository.get(style)).text()).toContain('#0b4f6c');
    expect(await (await repository.get('/oai/request?verb=Identify')).text()).toContain('Harbour Archives');
    expect(await (await repository.get('/opensearch.xml')).text()).toContain('Harbour Archives');
  });

  it('take effect with the next request to every process, and survive a restart', async () => {
    const other = await startServer({
      data: repository.dataFolder,
      settings: { database: repository.config.database },
    });
    try {
      for (const name of ['First name', 'Second name']) {
        await save([['siteName', name]]);
        await othersFollow();
        expect(textOf(await (await other.fetch('/', { headers: BROWSER })).text(), 'h1')).toBe(name);
      }
      await save([['site.logo', image('a.png', PNG, 'image/png')]]);
      await othersFollow();
      const logo = elementsOf(await (await other.fetch('/', { headers: BROWSER })).text(), '.brand img')[0];
      const bytes = await (await other.fetch(logo?.attributes.src ?? '')).bytes();
      expect(Buffer.from(bytes).equals(Buffer.from(PNG))).toBe(true);
    } finally {
      await other.stop();
    }
    await repository.restart();
    expect(textOf(await home(), 'h1')).toBe('Second name');
  });

  it('have the value of the file again after it is restored, or typed again', async () => {
    await save([['siteName', 'Another']]);
    const html = await (await form()).text();
    expect(elementsOf(html, 'input[name=restore]').map(({ attributes }) => attributes.value)).toEqual(['siteName']);
    expect(html).toContain('The configuration has “Name of the file”.');
    await save([['restore', 'siteName']]);
    expect(textOf(await home(), 'h1')).toBe('Name of the file');
    await save([['siteName', 'Another']]);
    await save([['siteName', 'Name of the file']]);
    expect(await stored()).toEqual({});
  });

  it('have a logo for light and for dark mode, which can be removed', async () => {
    await save([
      ['site.logo', image('a.png', PNG, 'image/png')],
      ['site.logoDark', image('b.svg', SVG, 'image/svg+xml')],
    ]);
    const html = await home();
    expect(elementsOf(html, '.brand img')[0]?.attributes.src).toEndWith('/logo.png');
    const dark = elementsOf(html, '.brand source')[0]?.attributes;
    expect(dark?.media).toBe('(prefers-color-scheme: dark)');
    expect((await repository.get(dark?.srcset ?? '')).headers.get('content-security-policy')).toContain("'none'");
    await save([
      ['remove', 'site.logo'],
      ['remove', 'site.logoDark'],
    ]);
    expect(elementsOf(await home(), '.brand img')).toEqual([]);
    expect(await stored()).toEqual({ 'config.site.logo': 'null' });
  });

  it('stay as they are if nothing was changed', async () => {
    const html = await (await form()).text();
    const fields = elementsOf(html, 'form[data-keep] input:not([type=hidden], [type=checkbox], [type=file])');
    const answer = await save(fields.map(({ attributes }) => [attributes.name ?? '', attributes.value ?? '']));
    expect(decodeURIComponent(answer.headers.get('set-cookie') ?? '')).toContain('Nothing has changed.');
    expect(await stored()).toEqual({});
  });

  it('put a page of the site into the header menu by a tick', async () => {
    const page = await repository.post(
      '/node?_format=json',
      { type: [{ target_id: 'page' }], title: [{ value: 'About us' }] },
      'admin',
    );
    const id = ((await page.json()) as { nid: [{ value: number }] }).nid[0].value;
    const box = () =>
      form()
        .then((answer) => answer.text())
        .then((html) => elementsOf(html, `#menu-page-${id}`)[0]);
    expect(await box()).toMatchObject({ attributes: { value: String(id) } });
    await save([['menu_page', String(id)]]);
    const links = elementsOf(await home(), 'header.site nav a');
    expect(links.map(({ attributes }) => attributes.href)).toContain(`/node/${id}`);
    expect((await box())?.attributes.checked).toBeDefined();
    await save([]);
    expect(elementsOf(await home(), 'header.site nav a').map(({ text }) => text)).not.toContain('About us');
  });
});

describe('an invalid setting of the site', () => {
  const big = new Uint8Array(50 * 1024 * 1024);
  it.each<[string, readonly [string, string | File][], string]>([
    ['an unreadable accent', [['site.accent', '#7cc4e0']], 'Accent colour must have a contrast of at least 4.5:1'],
    ['a colour that is none', [['site.accent', 'blue']], 'Accent colour must be a colour such as'],
    ['an empty name', [['siteName', ' ']], 'Name must not be empty'],
    ['a name of several lines', [['siteName', 'a\nb']], 'Name must be text'],
    ['a script as contact', [['site.contact', 'javascript:alert(1)']], 'Contact must be a mail address'],
    [
      'a script in the menu',
      [
        ['site.menu.label', 'A'],
        ['site.menu.address', 'javascript:alert(1)'],
      ],
      'Header menu.A must be a path of this site',
    ],
    [
      'a logo with a script',
      [['site.logo', image('a.svg', '<svg viewBox="0 0 9 9"><script>alert(1)</script></svg>', 'image/svg+xml')]],
      'A logo must not contain the element &lt;script>',
    ],
    [
      'a logo with an event',
      [['site.logo', image('a.svg', '<svg viewBox="0 0 9 9" onload="alert(1)"/>', 'image/svg+xml')]],
      'A logo must not contain the script "onload"',
    ],
    [
      'a logo that loads from elsewhere',
      [['site.logo', image('a.svg', '<svg viewBox="0 0 9 9"><image href="//evil.example/a"/></svg>', 'image/svg+xml')]],
      'A logo must not contain files from other addresses',
    ],
    ['a logo of 50 MB', [['site.logo', image('a.png', big, 'image/png')]], 'A logo must have at most 524288 bytes'],
    ['a logo that is a text', [['site.logo', image('a.png', 'hello', 'image/png')]], 'This is no image with a size'],
    ['a logo of another type', [['site.logo', image('a.gif', GIF, 'image/gif')]], 'A logo must be an SVG, PNG, WebP'],
  ])('is reported and changes nothing: %s', async (_name, fields, message) => {
    const answer = await save([['site.introduction', 'Typed.'], ...fields]);
    expect(answer.status).toBe(422);
    const html = await answer.text();
    expect(elementsOf(html, '.error-summary li')[0]?.text ?? '').toContain(message.replace('&lt;', '<'));
    expect(elementsOf(html, "textarea[name='site.introduction']")[0]?.text).toBe('Typed.');
    expect(await stored()).toEqual({});
  });

  it('is refused without the token of the session', async () => {
    const body = new FormData();
    body.append('siteName', 'Evil');
    const answer = await repository.fetch(PATH, { method: 'POST', body, headers: { Cookie: cookie } });
    expect(answer.status).toBe(403);
    expect(await stored()).toEqual({});
  });
});
