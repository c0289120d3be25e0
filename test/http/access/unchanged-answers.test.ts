import { afterAll, beforeAll, expect, it, setSystemTime } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { hocrOf } from '../../support/searched-book.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const NOW = '2031-05-02T12:00:00Z';
const LATER = '2031-05-02T15:00:00Z';
const CLOSED = [{ preset: 'closed' }];

let repository: TestRepository;
let [collection, book, open, closed, part, subject, picture]: number[] = [];

beforeAll(async () => {
  setSystemTime(new Date(NOW));
  repository = await createTestRepository();
  const { build } = repository;
  subject = await build.term('subject', 'Harbours');
  collection = await build.node('collection', 'The port');
  book = await build.node('book', 'The log', { field_member_of: [collection] });
  open = await described('Harbour plan', [collection]);
  await described('Page of the log', [book]);
  closed = await described('Secret plan', [collection, book], { access_rule: CLOSED });
  part = (await build.item({ title: ['Vault'], field_member_of: [collection], access_rule: CLOSED })).nid[0].value;
  await described('In the vault', [part as number]);
  await isSearched('vault');
});
afterAll(async () => {
  setSystemTime();
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Creates an item with a picture and a text. */
async function described(title: string, parents: (number | undefined)[], fields: object = {}): Promise<number> {
  const { build } = repository;
  const usual = {
    title: [title],
    field_member_of: parents,
    field_subject: [subject],
    field_edtf_date_created: ['1931'],
  };
  const { nid } = await build.item({ ...usual, ...fields });
  const media = await build.upload(nid[0].value, { name: 'plan.png', bytes: pngHead(500, 1000) });
  await build.upload(nid[0].value, { use: 'hocr', name: 'plan.hocr', bytes: hocrOf(`harbour of the ${title}`) });
  picture ??= media;
  return nid[0].value;
}

/** Waits until searches know an item by a word. */
async function isSearched(word: string): Promise<void> {
  await until(async () => {
    const { total } = await repository.build.json(`/search?q=${word}&_format=json`, 'admin');
    return total > 0;
  });
}

const paths = () => [
  ...[
    '/node?size=100',
    '/node?sort=-changed',
    '/media?size=100',
    '/file',
    '/',
    '/collections',
    '/sitemap.xml',
    '/feed.atom',
  ],
  ...['/search?q=harbour&_format=json', '/search?_format=json', '/search?q=secret', '/search?q=vualt&_format=json'],
  ...[
    '/search?q=harbour&_format=csv',
    '/search/suggest?q=sec&_format=json',
    `/search?f.subject=${subject}&_format=json`,
  ],
  ...[collection, book, open].flatMap((id) => [
    ...[
      `/node/${id}`,
      `/node/${id}?_format=json`,
      `/node/${id}?_format=jsonld`,
      `/node/${id}/linkset`,
      `/node/${id}/pages`,
    ],
    ...[
      `/node/${id}/manifest`,
      `/node/${id}/book-manifest`,
      `/node/${id}/feed.atom`,
      `/node/${id}/iiif/search?q=harbour`,
    ],
    ...[`/node/${id}/search?q=harbour`, `/node/${id}/cite?style=ris`, `/node/${id}/embed`],
  ]),
  ...[closed, part].flatMap((id) => [
    `/node/${id}`,
    `/node/${id}?_format=json`,
    `/node/${id}/manifest`,
    `/node/${id}/linkset`,
  ]),
  ...[`/media/${picture}?_format=json`, `/taxonomy/term/${subject}`, `/taxonomy/term/${subject}?_format=json`],
  ...['ListSets', 'Identify'].map((verb) => `/oai/request?verb=${verb}`),
  ...['/user/1', '/reconcile?queries=%7B%22q0%22:%7B%22query%22:%22harbours%22%7D%7D'],
];

/** Differ in each answer, and with the length of a nonce. */
const CHANGING = /^(date|x-request-id|content-length)$/i;
const NONCE = /nonce(-|=")[\w-]+/g;
/** Their ETags are the number of all writes. */
const COUNTS_WRITES = /sitemap|format=csv/;

/** Returns all that strangers are answered, as JSON and as pages. */
async function answers(): Promise<Map<string, string>> {
  setSystemTime(new Date(LATER));
  const all = new Map<string, string>();
  for (const path of paths())
    for (const accept of ['application/json', 'text/html']) {
      const answer = await repository.get(path, undefined, { Accept: accept });
      const headers = [...answer.headers]
        .filter(([name]) => !CHANGING.test(name) && !(name === 'etag' && COUNTS_WRITES.test(path)))
        .map((each) => each.join(': '));
      all.set(
        `${accept} ${path}`,
        [answer.status, ...headers, '', await answer.text()].join('\n').replace(NONCE, 'nonce'),
      );
    }
  return all;
}

const change = (id: number | undefined, fields: object) =>
  repository.build.change(`/node/${id}`, { type: 'islandora_object', ...fields });

it.each<[string, () => Promise<unknown>]>([
  ['renamed', () => change(closed, { title: ['Secret harbour plan'], field_edtf_date_created: ['1809'] })],
  [
    'described by another term',
    async () => change(closed, { field_subject: [subject, await repository.build.term('subject', 'Vaults')] }),
  ],
  [
    'given a file',
    () => repository.build.upload(closed as number, { use: 'thumbnail', name: 'z.png', bytes: pngHead(9, 9) }),
  ],
  [
    'given a text',
    () =>
      repository.build.upload(closed as number, { use: 'transcript', name: 'z.txt', bytes: 'harbour harbour harbour' }),
  ],
  ['created', () => described('Another secret', [collection, book], { access_rule: CLOSED })],
  ['created below a closed part', () => described('Also in the vault', [part])],
  [
    'deleted',
    async () => {
      const { nid } = await repository.build.item({ title: ['Gone'], field_member_of: [part] });
      await repository.build.remove(`/node/${nid[0].value}`);
    },
  ],
  [
    'given another rule that closes it',
    () => change(closed, { access_rule: [{ level: 'closed', roles: ['content_editor'] }] }),
  ],
  ['moved from the book', () => change(closed, { field_member_of: [collection] })],
])('strangers are answered the same when closed content is %s', async (_what, work) => {
  setSystemTime(new Date(NOW));
  const before = await answers();
  setSystemTime(new Date(NOW));
  await work();
  await isSearched('harbour');
  const after = await answers();
  const different = [...before].flatMap(([path, answer]) => {
    const [was, is] = [answer.split(/\n|(?<=>)/), after.get(path)?.split(/\n|(?<=>)/) ?? []];
    return is.flatMap((line, at) => (line === was[at] ? [] : [`${path}: ${was[at]} → ${line}`])).slice(0, 3);
  });
  expect(different).toEqual([]);
});
