import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let path: string;
let vids: number[];
let secret: number;

const HTML = { Accept: 'text/html' };

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('editor', 'content_editor');
  secret = await repository.build.term('genre', 'Secret genre', { status: [{ value: false }] });
  const maps = await repository.build.term('genre', 'Maps');
  const prints = await repository.build.term('genre', 'Prints');
  const made = await repository.node({
    title: [{ value: 'First title' }],
    field_abstract: [{ value: '<p>The quick brown fox jumps over the lazy dog</p>', format: 'basic_html' }],
    field_alt_title: [{ value: 'One' }, { value: 'Two' }],
    field_genre: [{ target_id: maps }],
    field_edtf_date: [{ value: '1929~' }],
  });
  path = `/node/${made.nid[0].value}`;
  const changes = [
    {
      title: ['Second title'],
      field_abstract: [{ value: '<p>The quick red fox jumps over the lazy dog</p>', format: 'basic_html' }],
      field_alt_title: ['Two', 'Three'],
      field_genre: [{ target_id: prints }, { target_id: secret }],
      revision_log: ['Better <b>colour</b>'],
    },
    { field_abstract: [{ value: '<p>The quick <em>red</em> fox jumps over the lazy dog</p>', format: 'basic_html' }] },
  ];
  vids = [made.vid[0].value];
  for (const change of changes) {
    const response = await repository.patch(`${path}?_format=json`, { type: 'islandora_object', ...change }, 'admin');
    expect(response.status).toBe(200);
    vids.push(((await response.json()) as EntityJson).vid[0].value);
  }
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function page(address: string, as = 'admin'): Promise<string> {
  const response = await repository.get(address, as, HTML);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return response.text();
}

const texts = (html: string, selector: string) => elementsOf(html, selector).map(({ text }) => text);

describe('the history of a node in a browser', () => {
  it('lists the revisions with time, user and message, and marks the current one', async () => {
    const html = await page(`${path}/revisions`);
    expect(texts(html, '.revisions tbody tr')).toHaveLength(3);
    expect(texts(html, '.revisions tbody tr:nth-child(1) .mark')).toEqual(['Current']);
    expect(texts(html, '.revisions .mark')).toHaveLength(1);
    expect(texts(html, '.revisions td[dir=auto]')).toEqual(['No message', 'Better <b>colour</b>', 'No message']);
    expect(texts(html, '.revisions td a bdi')).toEqual(['admin', 'admin', 'admin']);
    expect(elementsOf(html, '.revisions td time')[0]?.attributes.datetime).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(texts(html, '.revisions td time')[0]).toMatch(/^\d{1,2} \w+ \d{4} at \d\d:\d\d UTC$/);
    expect(elementsOf(html, '.revisions td a[href$="/view"]').map(({ attributes }) => attributes.href)).toEqual(
      vids.toReversed().map((vid) => `${path}/revisions/${vid}/view`),
    );
  });

  it('offers to compare any two revisions, by default the last two', async () => {
    const html = await page(`${path}/revisions`);
    expect(elementsOf(html, 'main form')[0]?.attributes).toMatchObject({ action: `${path}/revisions`, method: 'get' });
    const chosen = elementsOf(html, 'input[checked]').map(({ attributes }) => [attributes.name, attributes.value]);
    expect(chosen).toEqual([
      ['right', String(vids[2])],
      ['left', String(vids[1])],
    ]);
    const labels = elementsOf(html, 'input[type=radio]').map(({ attributes }) => attributes['aria-label']);
    expect(labels.every((label) => label !== undefined)).toBe(true);
  });

  it('names users only to callers who may view them', async () => {
    const html = await page(`${path}/revisions`, 'editor');
    expect(texts(html, '.revisions td:nth-child(4)')).toEqual(['a user', 'a user', 'a user']);
  });

  it('returns JSON to programs', async () => {
    for (const headers of [{ Accept: 'application/json' }, { Accept: 'application/json, */*;q=0.5' }]) {
      const response = await repository.get(`${path}/revisions`, 'admin', headers);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('vary')).toContain('Accept');
      expect((await response.json()) as EntityJson[]).toHaveLength(3);
    }
    const compared = await repository.get(`${path}/revisions?_format=json&left=x`, 'admin');
    expect((await compared.json()) as EntityJson[]).toHaveLength(3);
    const view = await repository.get(`${path}/revisions/${vids[0]}/view`, 'admin');
    expect(((await view.json()) as EntityJson).title).toEqual([{ value: 'First title' }]);
  });

  it('requires the same access as for programs', async () => {
    const first = `${path}/revisions/${vids[0]}/view`;
    for (const address of [`${path}/revisions`, first, `${path}/revisions?left=${vids[0]}`]) {
      expect((await repository.get(address, undefined, HTML)).status).toBe(401);
      expect((await repository.get(address, 'reader', HTML)).status).toBe(403);
      expect((await repository.get(address, 'editor', HTML)).status).toBe(200);
    }
    expect((await repository.get('/node/999999/revisions', 'admin', HTML)).status).toBe(404);
  });

  it('has pages', async () => {
    const made = await repository.node({ title: [{ value: 'Many' }] });
    const own = `/node/${made.nid[0].value}`;
    for (let at = 0; at < 51; at++)
      await repository.patch(`${own}?_format=json`, { type: 'islandora_object', title: [`Many ${at}`] }, 'admin');
    const first = await page(`${own}/revisions`);
    expect(texts(first, '.revisions tbody tr')).toHaveLength(50);
    expect(elementsOf(first, 'a[rel=next]')[0]?.attributes.href).toBe(`${own}/revisions?page=1`);
    const second = await page(`${own}/revisions?page=1`);
    expect(texts(second, '.revisions tbody tr')).toHaveLength(2);
    expect(elementsOf(second, 'a[rel=prev]')[0]?.attributes.href).toBe(`${own}/revisions?page=0`);
    expect(texts(second, '.history-pages span')).toEqual(['Page 2 of 2']);
    expect(texts(await page(`${own}/revisions?page=9`), '.revisions tbody tr')).toEqual([]);
  });
});

describe('a revision in a browser', () => {
  it('shows the earlier content, and links to the current revision', async () => {
    const html = await page(`${path}/revisions/${vids[0]}/view`);
    expect(texts(html, 'h1')).toEqual(['First title']);
    expect(texts(html, '.mark')).toEqual(['This is an earlier revision']);
    expect(texts(html, '.description div')[0]).toBe('The quick brown fox jumps over the lazy dog');
    expect(texts(html, '.fields a')).toContain('Maps');
    expect(elementsOf(html, '.history-links a').map(({ attributes }) => attributes.href)).toEqual([
      path,
      `${path}/revisions?left=${vids[0]}`,
      `${path}/revisions`,
    ]);
    expect(elementsOf(html, 'meta[name=robots]')[0]?.attributes.content).toBe('noindex');
  });

  it('is marked if it is the current one', async () => {
    const html = await page(`${path}/revisions/${vids[2]}/view`);
    expect(texts(html, '.mark')).toEqual(['This is the current revision']);
    expect((await repository.get(`${path}/revisions/999999/view`, 'admin', HTML)).status).toBe(404);
  });

  it('leaves the page of the content unchanged', async () => {
    await page(`${path}/revisions/${vids[0]}/view`);
    expect(texts(await page(path), 'h1')).toEqual(['Second title']);
  });
});

describe('the comparison of two revisions', () => {
  const compare = (left: unknown, right: unknown, as?: string) =>
    page(`${path}/revisions?left=${left}&right=${right}`, as);

  it('shows the changed fields in model order, with marked differences', async () => {
    const html = await compare(vids[0], vids[1]);
    expect(texts(html, '.field-changes h2')).toEqual(['Title', 'Abstract', 'Other titles', 'Genre']);
    const [title, abstract, alternative, genre] = elementsOf(html, '.field-changes').map(
      ({ attributes }) => attributes,
    );
    const inside = (section: typeof title, selector: string) =>
      texts(html, `.field-changes[aria-labelledby="${section?.['aria-labelledby']}"] ${selector}`);
    expect(inside(title, 'del')).toEqual(['First']);
    expect(inside(title, 'ins')).toEqual(['Second']);
    expect(inside(abstract, 'del')).toEqual(['brown']);
    expect(inside(abstract, 'ins')).toEqual(['red']);
    expect(inside(alternative, '.change-kind')).toEqual(['− Removed', '= Unchanged', '+ Added']);
    expect(inside(alternative, 'p')).toEqual(['One', 'Two', 'Three']);
    expect(inside(genre, 'del')).toEqual(['Maps']);
    expect(inside(genre, 'ins')).toEqual(['Prints', 'Secret genre']);
  });

  it('puts the earlier revision first in either order', async () => {
    expect(texts(await compare(vids[1], vids[0]), '.field-changes del')).toEqual(
      texts(await compare(vids[0], vids[1]), '.field-changes del'),
    );
  });

  it('reports if only the format of a text differs', async () => {
    const html = await compare(vids[1], vids[2]);
    expect(texts(html, '.field-changes h2')).toEqual(['Abstract']);
    expect(texts(html, '.change-kind')).toEqual(['± Changed in its format or target only']);
  });

  it('compares with the current revision by default, and reports if nothing differs', async () => {
    const html = await page(`${path}/revisions?left=${vids[2]}`);
    expect(texts(html, '.empty')).toEqual(['These revisions do not differ in any field that you may view.']);
  });

  it('omits references that the caller may not view', async () => {
    expect(await compare(vids[0], vids[1], 'editor')).not.toContain('Secret genre');
  });

  it('rejects a revision of another node', async () => {
    const invalid = await repository.get(`${path}/revisions?left=first`, 'admin', HTML);
    expect(invalid.status).toBe(400);
    expect(await invalid.text()).toContain('The query parameter &quot;left&quot; must be the number of a revision');
    expect((await repository.get(`${path}/revisions?left=999999`, 'admin', HTML)).status).toBe(404);
    const other = await repository.node();
    expect((await repository.get(`${path}/revisions?left=${other.vid[0].value}`, 'admin', HTML)).status).toBe(404);
  });

  it('keeps hostile text inside of values', async () => {
    const hostile = `<script>alert(1)</script>"'&`;
    const made = await repository.node({ title: [{ value: 'Plain title of a node' }] });
    const own = `/node/${made.nid[0].value}`;
    const body = { type: 'islandora_object', title: [hostile], revision_log: [hostile] };
    await repository.patch(`${own}?_format=json`, body, 'admin');
    const html = await page(`${own}/revisions?left=${made.vid[0].value}`);
    expect(elementsOf(html, 'script').filter(({ text }) => text.includes('alert'))).toEqual([]);
    expect(texts(html, '.field-changes ins')).toEqual([hostile]);
  });
});

describe('the history of a media in a browser', () => {
  it('is shown and compared like that of a node', async () => {
    const node = await repository.node();
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://notes.txt' };
    const put = await repository.put(`/node/${node.nid[0].value}/media/document/${use}`, 'notes', headers, 'admin');
    const own = new URL(put.headers.get('Location') ?? '').pathname;
    const first = (await (await repository.get(`${own}?_format=json`, 'admin')).json()) as EntityJson;
    await repository.patch(`${own}?_format=json`, { bundle: 'document', name: ['Field notes'] }, 'admin');
    const html = await page(`${own}/revisions`);
    expect(texts(html, 'h1')).toEqual(['Revisions of Field notes']);
    expect(texts(html, '.revisions tbody tr')).toHaveLength(2);
    const compared = await page(`${own}/revisions?left=${first.vid[0].value}`);
    expect(texts(compared, '.field-changes h2')).toEqual(['Name']);
    expect(texts(await page(`${own}/revisions/${first.vid[0].value}/view`), 'h1')).toEqual(['notes.txt']);
  });
});
