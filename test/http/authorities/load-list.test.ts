import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAuthorities, removeAuthority } from '../../../src/authorities/authority-lists.ts';
import { listRuns } from '../../../src/authorities/list-runs.ts';
import { findByUris, toRecord } from '../../../src/authorities/list-statements.ts';
import type { loadList } from '../../../src/authorities/load/load-list.ts';
import { loadAuthority } from '../../support/authority-list.ts';
import { countIn } from '../../support/command-outcome.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { signedIn } from '../../support/form-call.ts';
import { rejection } from '../../support/rejection.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const FIXTURES = join(import.meta.dir, '../../fixtures/authorities');
const NAMES = join(FIXTURES, 'names.nt');
const TWAIN = 'http://id.loc.gov/authorities/names/n79021164';
const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel';

const messageOf = async (work: Promise<unknown>) => ((await rejection(work)) as Error).message;

let repository: TestRepository;
let folder: string;
beforeAll(async () => {
  [repository, folder] = await Promise.all([createTestRepository(), emptyFolder()]);
});
afterAll(async () => {
  await repository.stop();
  await rm(folder, { recursive: true });
});

type Options = Partial<Parameters<typeof loadList>[1]>;

async function load(path: string, options: Options = {}) {
  const broken: string[] = [];
  const onBroken = (line: number, reason: string) => void broken.push(`${line}: ${reason}`);
  const loaded = await loadAuthority(repository, path, { onBroken, ...options });
  return { ...loaded, broken };
}

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const database = () => repository.running.services.database;

async function recordIn(name: string, uri: string) {
  const list = (await listAuthorities(database())).find((each) => each.name === name);
  const rows = await database().all(findByUris({ listId: list?.id ?? 0, uris: JSON.stringify([uri]) }));
  return rows[0] && toRecord(rows[0]);
}

const wordTables = () =>
  countIn(database(), "SELECT count(*) FROM sqlite_master WHERE name GLOB 'authority_word_*' AND sql LIKE '%fts5%'");

describe('an authority list', () => {
  it('has the records of MADS/RDF with variants and dates from nodes of their own', async () => {
    expect(await load(NAMES)).toMatchObject({ name: 'names', source: 'naf', records: 3, names: 6, broken: [] });
    expect(await recordIn('names', TWAIN)).toMatchObject({
      kind: 'person',
      label: 'Twain, Mark, 1835-1910',
      variants: [
        ['Clemens, Samuel Langhorne, 1835-1910', ''],
        ['Tuặn, Mặc', ''],
      ],
      dateBegin: '1835-11-30',
      dateEnd: '1910-04-21',
    });
  });

  it('has the concepts of SKOS in Turtle with names by language, though they are broader than each other', async () => {
    expect(await load(join(FIXTURES, 'subjects.ttl'))).toMatchObject({ source: 'lcsh', records: 3, names: 6 });
    const uri = (id: string) => `http://id.loc.gov/authorities/subjects/${id}`;
    expect(await recordIn('subjects', uri('sh1'))).toMatchObject({
      kind: 'topic',
      label: 'Lighthouses',
      preferred: [
        ['Lighthouses', 'en'],
        ['Leuchttürme', 'de'],
      ],
      variants: [['Light-houses', 'en']],
    });
    expect(await recordIn('subjects', uri('sh2'))).toMatchObject({ scope: 'Marks for ships.' });
    expect(await recordIn('subjects', uri('sh3'))).toMatchObject({
      label: 'Fog signals',
      variants: [['Foghorns', 'en']],
    });
  });

  it('has the documents of JSON-LD, in one array or one in each line', async () => {
    const loc = { '@context': 'http://v3/authorities/names/context.json' };
    const lines = ['A', 'B'].map((name, index) => {
      const variant = { '@type': 'madsrdf:Variant', 'madsrdf:variantLabel': `Other ${name}` };
      const node = { '@id': `/authorities/names/n${index}`, 'madsrdf:hasVariant': variant };
      return JSON.stringify({ ...loc, '@graph': [{ ...node, 'madsrdf:authoritativeLabel': name }] });
    });
    expect(await load(await fileOf('lines.jsonld', `${lines.join('\n')}\n`))).toMatchObject({ records: 2, names: 4 });
    const gnd = [
      {
        '@id': 'https://d-nb.info/gnd/118540238',
        '@type': ['https://d-nb.info/standards/elementset/gnd#DifferentiatedPerson'],
        'https://d-nb.info/standards/elementset/gnd#preferredNameForThePerson': [
          { '@value': 'Goethe, Johann Wolfgang' },
        ],
        'https://d-nb.info/standards/elementset/gnd#variantNameForThePerson': [{ '@value': 'Geteh, Iogann' }],
        'https://d-nb.info/standards/elementset/gnd#dateOfBirth': [{ '@value': '1749-08-28' }],
      },
    ];
    expect(await load(await fileOf('gnd.json', JSON.stringify(gnd)))).toMatchObject({ source: 'gnd', records: 1 });
    expect(await recordIn('gnd', 'https://d-nb.info/gnd/118540238')).toMatchObject({
      ...{ kind: 'person', label: 'Goethe, Johann Wolfgang', dateBegin: '1749-08-28', dateEnd: undefined },
    });
  });

  it('has the same records however the statements of a compressed file are ordered', async () => {
    const lines = (await Bun.file(NAMES).text()).split('\n').filter((line) => /^[<_]/.test(line));
    // Far more other subjects than are kept open lie between the statements of a record.
    const others = Array.from(
      { length: 45_000 },
      (_, index) => `<http://other/${index}> <${LABEL}> "Other ${index}" .`,
    );
    const spread = [
      ...lines.filter((_, index) => index % 2 === 1),
      ...others,
      ...lines.filter((_, index) => index % 2 === 0),
    ];
    const path = await fileOf('spread.nt.gz', Bun.gzipSync(Buffer.from(spread.join('\n'))));
    expect(await load(path, { name: 'spread' })).toMatchObject({ records: 45_003, names: 45_006 });
    const first = await recordIn('names', TWAIN);
    const { id: _, listId: __, ...expected } = first ?? {};
    const spreadRecord = await recordIn('spread', TWAIN);
    expect(spreadRecord).toMatchObject({ ...expected, variants: expect.arrayContaining([...(first?.variants ?? [])]) });
  }, 60_000);

  it('is replaced by a newer file of its name, with all its rows', async () => {
    const first = await fileOf('list.nt', `<http://a/1> <${LABEL}> "One" .\n<http://a/2> <${LABEL}> "Two" .\n`);
    await load(first, { name: 'replaced' });
    const before = await wordTables();
    await load(await fileOf('list2.nt', `<http://a/3> <${LABEL}> "Three" .\n`), { name: 'replaced' });
    expect(await recordIn('replaced', 'http://a/1')).toBeUndefined();
    expect(await recordIn('replaced', 'http://a/3')).toMatchObject({ label: 'Three' });
    expect(await countIn(database(), "SELECT count(*) FROM authority_record WHERE uri LIKE 'http://a/%'")).toBe(1);
    expect(await wordTables()).toBe(before);
  });

  it('leaves out broken lines and names them, and stays as it was after a hundred', async () => {
    const good = `<http://b/1> <${LABEL}> "One"@en .`;
    const lines = [
      good,
      '<http://b/2> <oops',
      `<http://b/3> <${LABEL}> "Three"@ .`,
      `<http://b/4> <${LABEL}> "Four" .`,
    ];
    const loaded = await load(await fileOf('broken.nt', lines.join('\n')), { name: 'broken' });
    expect(loaded).toMatchObject({ records: 2, brokenLines: 2 });
    expect(loaded.broken.map((line) => line.split(':')[0])).toEqual(['2', '3']);
    const many = await fileOf('many.nt', `${good}\n${'oops\n'.repeat(150)}`);
    expect(await messageOf(load(many, { name: 'broken' }))).toBe(
      `${many} has 100 broken lines, the last one is line 101: nothing was loaded.`,
    );
    expect(await recordIn('broken', 'http://b/4')).toMatchObject({ label: 'Four' });
    expect(await listRuns.find(database(), undefined)).toMatchObject({
      state: 'failed',
      result: expect.stringContaining('100'),
    });
  });

  it.each([
    ['empty.nt', '', 'is empty'],
    ['rdf.xml', '<?xml version="1.0"?><rdf:RDF/>', 'Convert it to N-Triples'],
    ['notes.txt', 'Dear reader', 'it begins with "Dear reader"'],
    [
      'cut.nt.gz',
      Bun.gzipSync(Buffer.from(`<http://a/1> <${LABEL}> "One" .\n`.repeat(9))).slice(0, 60),
      'cut off or damaged',
    ],
    ['wrong.ttl', '@prefix a: <http://a/> .\na:b a:c "d" .\na:e f:g "h" .', 'on line 3'],
    ['wrong.json', '[{"@id": "http://a/1"', 'Unclosed document'],
    ['elsewhere.json', '[{"@context": "http://192.0.2.1/c", "@id": "http://a/1"}]', 'is on another server'],
    ['other.nt', '<http://a/1> <http://a/p> "One" .', 'has no names of SKOS'],
  ])('is not loaded from %s, and nothing is left of it', async (name, content, message) => {
    const lists = await countIn(database(), 'SELECT count(*) FROM authority_list');
    const tables = await wordTables();
    expect(await messageOf(load(await fileOf(name, content)))).toContain(message);
    expect(await countIn(database(), 'SELECT count(*) FROM authority_list')).toBe(lists);
    expect(await wordTables()).toBe(tables);
  });

  it('is among the tasks, with what went wrong', async () => {
    const admin = await signedIn(repository, 'admin');
    const failed = await fileOf('no-names.nt', '<http://a/1> <http://a/p> "One" .');
    await load(NAMES, { name: 'shown' });
    await messageOf(load(failed));
    const rows = (await admin.open('/admin/tasks')).elements('tbody tr').map(({ text }) => text.replace(/\s+/g, ' '));
    expect(rows).toContainEqual(
      expect.stringMatching(/shown ?Authority list ?Finished: 3 records, [\d.]+ kB of [\d.]+ kB/),
    );
    expect(rows).toContainEqual(expect.stringMatching(/no-names ?Authority list.*has no names of SKOS/));
  });

  it('is loaded by one process at a time', async () => {
    const { added } = await database().write({
      added: listRuns.add({ about: { name: 'names', file: 'x', bytes: 1 } }),
    });
    const id = added[0]?.id ?? 0;
    const held = await listRuns.take(database());
    expect(held?.id).toBe(id);
    expect(await messageOf(load(NAMES))).toBe('The authority list names is being loaded by another process.');
    if (held !== undefined) await listRuns.settle(database(), held, { state: 'stopped' });
  });

  it('is removed with all its rows, and an unknown one is named with the most similar', async () => {
    const { signal } = new AbortController();
    await load(NAMES, { name: 'people' });
    expect(await messageOf(removeAuthority(database(), 'pepole', signal))).toBe(
      'There is no authority list pepole; did you mean people?',
    );
    const before = await wordTables();
    await removeAuthority(database(), 'people', signal);
    expect((await listAuthorities(database())).map(({ name }) => name)).not.toContain('people');
    expect(await wordTables()).toBe(before - 1);
  });
});
