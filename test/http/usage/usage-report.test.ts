import { afterAll, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { elementsOf } from '../../support/page.ts';
import type { TestRepository } from '../../support/test-repository.ts';
import { addNumbers, createUsageSite } from '../../support/usage-site.ts';

const REPORT = '/admin/reports/usage';
const TABLE = '/admin/reports/usage/table';

let repository: TestRepository;
let admin: FormBrowser;
let [collection, letter, hidden, file]: number[] = [];
let uri = '';

beforeAll(async () => {
  setSystemTime(new Date('2031-05-20T12:00:00Z'));
  repository = await createUsageSite({ isShown: true });
  const { build } = repository;
  collection = await build.node('collection', 'Letters');
  letter = await build.node('document', '=A letter', { field_member_of: [collection] });
  hidden = await build.node('document', 'Hidden', { status: [false] });
  const media = await build.media(letter, { media: 'document', name: 'letter.pdf', bytes: '%PDF-1.4\n' });
  file = media.field_media_document[0].target_id as number;
  uri = new URL(media.field_media_document[0].url).pathname.replace('/sites/default/files/', 'public://');
  await addNumbers(repository, 'item', letter, '2031-04-30', [5, 4, 3, 2]);
  await addNumbers(repository, 'item', letter, '2031-05-01', [1000, 40, 30, 20]);
  await addNumbers(repository, 'item', letter, '2031-05-02', [1, 1, 0, 0]);
  await addNumbers(repository, 'item', 98765, '2031-05-02', [7, 7, 0, 0]);
  await addNumbers(repository, 'within', collection, '2031-05-01', [1000, 40, 30, 20]);
  await addNumbers(repository, 'file', file, '2031-05-01', [30, 20, 30, 20]);
  await addNumbers(repository, 'repository', 0, '2031-04-30', [5, 4, 3, 2]);
  await addNumbers(repository, 'repository', 0, '2031-05-01', [1000, 40, 30, 20]);
  await addNumbers(repository, 'repository', 0, '2031-05-02', [8, 8, 0, 0]);
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  setSystemTime();
  await repository.stop();
});

/** The rows of the report's tables as texts. */
async function rowsOf(query = ''): Promise<string[]> {
  const { html } = await admin.open(REPORT + query);
  const cells = elementsOf(html, 'tbody th, tbody td').map(({ text }) => text.trim());
  return Array.from({ length: cells.length / 5 }, (_, row) => cells.slice(row * 5, row * 5 + 5).join(' '));
}

async function tableOf(query: string): Promise<string[]> {
  const response = await repository.get(TABLE + query, 'admin');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return (await response.text()).trim().split('\n');
}

describe('The report of use', () => {
  it('shows the months of a year, and the most used items, collections and files', async () => {
    expect(await rowsOf()).toEqual([
      '2031-04 5 4 3 2',
      '2031-05 1,008 48 30 20',
      'Together 1,013 52 33 22',
      '=A letter 1,006 45 33 22',
      'Item 98765, deleted or hidden 7 7 0 0',
      'Letters 1,000 40 30 20',
      `${uri} 30 20 30 20`,
    ]);
  });

  it('shows a chosen time', async () => {
    expect(await rowsOf('?from=2031-05-02&to=2031-05-02')).toEqual([
      '2031-05 8 8 0 0',
      'Item 98765, deleted or hidden 7 7 0 0',
      '=A letter 1 1 0 0',
    ]);
    expect((await admin.open(`${REPORT}?from=2029-01-01&to=2029-12-31`)).html).toContain(
      'Nothing was used in this time.',
    );
  });

  it('is a table by month', async () => {
    const url = `${repository.url}/node/${letter}`;
    expect(await tableOf('')).toEqual([
      'kind,id,title,url,date,views,unique_views,downloads,unique_downloads',
      `item,${letter},'=A letter,${url},2031-04,5,4,3,2`,
      `item,${letter},'=A letter,${url},2031-05,1001,41,30,20`,
      'item,98765,,,2031-05,7,7,0,0',
      `collection,${collection},Letters,${repository.url}/node/${collection},2031-05,1000,40,30,20`,
      `file,${file},${uri},${repository.url}${uri.replace('public://', '/sites/default/files/')},2031-05,30,20,30,20`,
    ]);
  });

  it('is a table by day', async () => {
    const lines = await tableOf('?by=day&from=2031-05-01&to=2031-05-31');
    expect(lines.map((line) => line.split(',').slice(4).join(' '))).toEqual([
      'date views unique_views downloads unique_downloads',
      '2031-05-01 1000 40 30 20',
      '2031-05-02 1 1 0 0',
      '2031-05-02 7 7 0 0',
      '2031-05-01 1000 40 30 20',
      '2031-05-01 30 20 30 20',
    ]);
  });

  it('has every item of a large repository, each once', async () => {
    const first = 1_000_000;
    for (let id = first; id < first + 450; id += 1)
      await addNumbers(repository, 'item', id, '2032-01-01', [1, 1, 0, 0]);
    const lines = await tableOf('?from=2032-01-01&to=2032-01-31');
    const ids = lines.slice(1).map((line) => Number(line.split(',')[1]));
    expect(ids).toEqual(Array.from({ length: 450 }, (_, at) => first + at));
  });

  it('answers 400 to a day that does not exist, and 403 to readers', async () => {
    expect((await admin.open(`${REPORT}?from=2031-02-30`)).status).toBe(400);
    expect((await repository.get(`${TABLE}?by=week`, 'admin')).status).toBe(400);
    await repository.user('reader');
    expect((await repository.get(TABLE, 'reader')).status).toBe(403);
  });
});

describe('The page of an item', () => {
  const panelOf = async (id: number, site = repository) => {
    const { html } = await (site === repository ? admin : await signedIn(site, 'admin')).open(`/node/${id}`);
    return elementsOf(html, '.panel.use dt, .panel.use dd').map(({ text }) => text.trim());
  };

  it('shows its use, and a collection that of its items', async () => {
    expect(await panelOf(letter as number)).toEqual(['Views', '1,006', 'Downloads', '33']);
    expect(await panelOf(collection as number)).toEqual([
      'Views of its items',
      '1,000',
      'Downloads of its items',
      '30',
    ]);
    expect(await panelOf(hidden as number)).toEqual([]);
  });

  it('has another ETag after further use', async () => {
    const ask = () => repository.fetch(`/node/${letter}`, { headers: { Accept: 'text/html', 'User-Agent': 'curl/8' } });
    const before = (await ask()).headers.get('etag');
    await addNumbers(repository, 'item', letter as number, '2031-05-03', [1, 1, 0, 0]);
    const after = await ask();
    expect(after.headers.get('etag')).not.toBe(before);
    expect(await after.text()).toContain('1,007');
  });

  it('shows nothing unless the setting says so', async () => {
    const other = await createUsageSite();
    try {
      const id = await other.build.node('document', 'A letter');
      await addNumbers(other, 'item', id, '2031-05-01', [1, 1, 0, 0]);
      expect(await panelOf(id, other)).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});
