import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { signIn } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

let repository: TestRepository;
let about: number;
let item: number;
const pageAt = async (path: string) => (await repository.get(path, undefined, BROWSER)).text();

beforeAll(async () => {
  repository = await createTestRepository();
  item = (await repository.node({ title: [{ value: 'Harbour' }] })).nid[0].value;
  const page = { type: [{ target_id: 'page' }], title: [{ value: 'About this archive' }] };
  const answer = await repository.post('/node?_format=json', page, 'admin');
  about = ((await answer.json()) as { nid: [{ value: number }] }).nid[0].value;
});
afterAll(() => repository.stop());

describe('a page of the site such as "About"', () => {
  it('has its name without a type, and no citations', async () => {
    const html = await pageAt(`/node/${about}`);
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual(['About this archive']);
    expect(html).not.toContain('Basic page');
    expect(elementsOf(html, '.cite, .record-head .kind')).toEqual([]);
    expect(elementsOf(await pageAt(`/node/${item}`), '.cite')).toHaveLength(1);
  });

  it('is not among the newest items', async () => {
    const titles = elementsOf(await pageAt('/'), '.card-title').map(({ text }) => text);
    expect(titles).toEqual(['Harbour']);
  });
});

describe('the list of users in a browser', () => {
  it('leads to the form to sign in, or to the page of the caller', async () => {
    const at = async (headers: Record<string, string>) => {
      const answer = await repository.fetch('/user', { headers: { ...BROWSER, ...headers }, redirect: 'manual' });
      return [answer.status, answer.headers.get('location')];
    };
    expect(await at({})).toEqual([303, `${repository.url}/user/login`]);
    const { cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    expect(await at({ Cookie: cookie })).toEqual([303, `${repository.url}/user/1`]);
    expect((await repository.get('/user?_format=json', 'admin')).headers.get('content-type')).toBe('application/json');
  });
});

describe('the breadcrumbs of an administration page', () => {
  it('end with the shown page', async () => {
    const html = await (await repository.get('/admin/people/permissions', 'admin', BROWSER)).text();
    expect(elementsOf(html, '.way li').map(({ text }) => text)).toEqual(['Manage', 'Permissions']);
    expect(elementsOf(html, '.way [aria-current=page]')).toHaveLength(1);
  });
});
