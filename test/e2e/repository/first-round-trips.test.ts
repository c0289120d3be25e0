import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { type CountedSqld, startCountedSqld } from '../../support/counted-sqld.ts';
import { PNG } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const USES = ['OriginalFile', 'ThumbnailImage', 'ServiceFile'].map(usedAs);
const MORE_USES = [
  ...['PreservationMasterFile', 'IntermediateFile', 'Transcript', 'ExtractedText'].map(usedAs),
  'https://projects.iq.harvard.edu/fits',
];
const SETTINGS = '/admin/config/islandora/core?_format=json';

let counted: CountedSqld;
let repository: TestRepository;
/** The headers of each kind of caller; all but the anonymous one name the same user. */
const callers: Record<string, Record<string, string>> = { nobody: {}, basic: { Authorization: basic('admin') } };
/** The paths of what is read. */
const objects: Record<string, string> = {};
let termId: number;
let areLinksOn = true;
let changes = 0;

beforeAll(async () => {
  counted = await startCountedSqld();
  repository = await createTestRepository({ database: { ...DEFAULT_SERVER_CONFIG.database, url: counted.url } });
  await repository.user('other');
  await fill();
  await signIn();
});
afterAll(async () => {
  await repository.stop();
  await counted.stop();
});

async function fill(): Promise<void> {
  const above = await repository.node();
  const made = await repository.post('/taxonomy/term?_format=json', { vid: 'subject', name: ['Above'] }, 'admin');
  const parent = ((await made.json()) as { tid: [{ value: number }] }).tid[0].value;
  const below = { vid: 'subject', name: ['Below'], parent: [parent] };
  const term = await repository.post('/taxonomy/term?_format=json', below, 'admin');
  termId = ((await term.json()) as { tid: [{ value: number }] }).tid[0].value;
  objects.term = `/taxonomy/term/${termId}`;
  const fields = { field_member_of: [{ target_id: above.nid[0].value }], field_subject: [{ target_id: termId }] };
  objects.node = `/node/${(await repository.node(fields)).nid[0].value}`;
  for (const use of USES) objects.media = await attach(use);
  const hidden = await repository.node({ status: [false] });
  objects['hidden media'] = await attach(usedAs('OriginalFile'), `/node/${hidden.nid[0].value}`);
}

function usedAs(name: string): string {
  return `http://pcdm.org/use#${name}`;
}

async function attach(use: string, node = objects.node): Promise<string> {
  const headers = { 'Content-Type': 'image/png', 'Content-Location': `public://picture ${++changes}.png` };
  const path = `${node}/media/image/${await repository.termId(use)}`;
  const put = await repository.put(path, PNG, headers, 'admin');
  expect(put.status).toBe(201);
  return new URL(put.headers.get('location') as string).pathname;
}

async function signIn(): Promise<void> {
  const { token } = (await (await repository.get('/jwt/token', 'admin')).json()) as { token: string };
  callers.bearer = { Authorization: `Bearer ${token}` };
  const login = await repository.post('/user/login?_format=json', { name: 'admin', pass: ADMIN_PASSWORD });
  const cookie = (login.headers.get('set-cookie') as string).split(';')[0] as string;
  callers.cookie = { Cookie: cookie };
  callers['basic, with a cookie'] = { ...callers.basic, Cookie: cookie };
}

/** The changes by this process and by others. */
const changing: Record<string, () => Promise<unknown>> = {
  'an account by this process': () => repository.running.services.database.write([changeAccount()]),
  'an account by another process': () => counted.runBeside(changeAccount()),
  'a setting by this process': () => {
    areLinksOn = !areLinksOn;
    return repository.patch(SETTINGS, { allow_header_links: [{ value: areLinksOn }] }, 'admin');
  },
  'a setting by another process': () => {
    areLinksOn = !areLinksOn;
    return counted.runBeside(`UPDATE setting SET value = '${areLinksOn}' WHERE name = 'islandora.allow_header_links'`);
  },
  'a term by this process': () =>
    repository.patch(`${objects.term}?_format=json`, { vid: 'subject', name: [`${++changes}`] }, 'admin'),
  'a term by another process': () =>
    counted.runBeside(`UPDATE taxonomy_term SET label = '${++changes}' WHERE id = ${termId}`),
};
const changeAccount = () => `UPDATE user SET roles = '${++changes % 2 ? '["x"]' : '[]'}' WHERE name = 'other'`;

interface Get {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly status: number;
  readonly maxTrips: number;
}

/** The further content of a page takes one more. */
const MAX_TRIPS = { json: 2, jsonld: 2, html: 3 };
/** The page of an original file reads its technical metadata, which another media of the node has. */
const MAX_MEDIA_PAGE_TRIPS = 5;

/** Every object in every format, for every sort of caller. A media of an unpublished node is not for everybody. */
const gets = (): Get[] =>
  Object.entries(callers).flatMap(([caller, headers]) =>
    Object.entries(objects).flatMap(([object, path]) => {
      const status = object === 'hidden media' && caller === 'nobody' ? 401 : 200;
      const found = Object.entries(MAX_TRIPS).map(([format, trips]) => {
        const maxTrips = format === 'html' && path.startsWith('/media') ? MAX_MEDIA_PAGE_TRIPS : trips;
        return { path: `${path}?_format=${format}`, headers, status, maxTrips };
      });
      return object === 'term' ? found : [...found, { path: `${path}/linkset`, headers, status, maxTrips: 2 }];
    }),
  );

/** Returns the statements of a GET, one list for each round trip to the database. */
async function tripsOf({ path, headers, status }: Omit<Get, 'maxTrips'>): Promise<readonly string[][]> {
  counted.forget();
  const response = await repository.get(path, undefined, headers);
  await response.text();
  expect(`${path} ${response.status}`).toBe(`${path} ${status}`);
  return counted.requests;
}

async function expectFew(get: Omit<Get, 'maxTrips'> & Partial<Get>): Promise<void> {
  const trips = await tripsOf(get);
  if (trips.length > (get.maxTrips ?? 2))
    throw new Error(`${get.path} ${Object.keys(get.headers)}: ${JSON.stringify(trips, null, 1)}`);
}

describe('a GET needs at most two round trips, and a page three', () => {
  for (const [name, change] of Object.entries(changing))
    it(`after a change of ${name}`, async () => {
      for (const get of gets()) {
        await change();
        await expectFew(get);
      }
    });

  it('after a start', async () => {
    for (const get of gets()) {
      await repository.restart();
      await expectFew(get);
    }
  }, 120_000);

  it('after a change of the object itself', async () => {
    for (const get of gets()) {
      await tripsOf(get);
      for (const table of ['node', 'media', 'taxonomy_term'])
        await counted.runBeside(`UPDATE ${table} SET version = version + 1, document = document || ' '`);
      await expectFew(get);
    }
  });

  it('after a node gets a media with a new use', async () => {
    for (const [index, headers] of Object.values(callers).entries()) {
      const get = { path: `${objects.node}?_format=json`, headers, status: 200 };
      await tripsOf(get);
      await attach(MORE_USES[index] as string);
      await expectFew(get);
    }
  });

  it('after a referenced node was deleted', async () => {
    const other = (await repository.node()).nid[0].value;
    const path = `/node/${(await repository.node({ field_member_of: [{ target_id: other }] })).nid[0].value}?_format=json`;
    await repository.delete(`/node/${other}?_format=json`, 'admin');
    for (const headers of Object.values(callers)) {
      await repository.restart();
      await expectFew({ path, headers, status: 200 });
    }
  });

  it('after the cache expired while the process was busy', async () => {
    for (const get of gets().filter(({ path }) => path === `${objects.node}?_format=json`)) {
      const now = performance.now.bind(performance);
      const clock = spyOn(performance, 'now').mockImplementation(() => now() + 600);
      await expectFew(get).finally(() => clock.mockRestore());
    }
  });

  it('and one more for an alias', async () => {
    const path = '/an/alias/of/it';
    await repository.node({ path: [{ alias: path }] });
    for (const headers of Object.values(callers)) {
      await counted.runBeside(changeAccount());
      expect(await tripsOf({ path: `${path}?_format=json`, headers, status: 200 })).toHaveLength(3);
    }
  });

  it('for missing content, which a wrong password does not reveal', async () => {
    const path = '/node/987654?_format=json';
    for (const headers of Object.values(callers)) {
      await counted.runBeside(changeAccount());
      await expectFew({ path, headers, status: 404 });
    }
    for (const each of [path, `${objects.node}?_format=json`])
      expect(
        await tripsOf({ path: each, headers: { Authorization: basic('other', 'wrong') }, status: 401 }),
      ).not.toBeEmpty();
  });
});

/** As many failures of this address as there may be. */
const FAILURES = `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 50)
  INSERT INTO flood_event (event, identifier, at, expires)
  SELECT 'login-by-address', '127.0.0.1', unixepoch() * 1000, unixepoch() * 1000 + 60000 FROM count`;

describe('a correct password', () => {
  it('is rejected with 429 if the limit of failed sign-ins is reached during its check', async () => {
    await repository.restart();
    let looks = 0;
    counted.beforePassing = async (statements) => {
      if (!statements.some((sql) => sql.includes('flood_event'))) return;
      looks += 1;
      if (looks === 2) await counted.runBeside(FAILURES);
    };
    const headers = { Authorization: basic('admin') };
    const trips = await tripsOf({ path: `${objects.node}?_format=json`, headers, status: 429 });
    expect(trips).toHaveLength(2);
    expect(trips[1]?.filter((sql) => sql.includes('flood_event'))).toHaveLength(1);
    expect(trips[1]?.filter((sql) => sql.includes('around'))).toHaveLength(1);
  });
});
