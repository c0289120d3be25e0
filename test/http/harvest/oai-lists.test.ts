import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { resumptionToken } from '../../../src/harvest/oai/resumption-token.ts';
import { loadKeys } from '../../../src/server/load-keys.ts';
import { deletedIn, harvest, identifier, nodesIn, oai, tokenIn, type Xml } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let nodes: number[];
let collections: Record<'top' | 'below' | 'other', number>;

const ALL = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
const HEADERS = { ...ALL, verb: 'ListIdentifiers' };

beforeAll(async () => {
  repository = await createTestRepository({ oai: { adminEmail: undefined, pageSize: 3 } });
  build = new SiteBuilder(repository);
  const top = await build.node('collection', 'Top');
  const below = await build.node('collection', 'Below', { field_member_of: [top] });
  const other = await build.node('collection', 'Other & more');
  collections = { top, below, other };
  nodes = [top, below, other];
  for (const parent of [top, below, below, other, other])
    nodes.push(await build.node('image', `In ${parent}`, { field_member_of: [parent] }));
});
afterAll(() => repository.stop());

const listed = (parts: Awaited<ReturnType<typeof harvest>>) => parts.flatMap(nodesIn);

describe('a list in parts', () => {
  it('contains every record once, with size and cursor', async () => {
    for (const verb of ['ListRecords', 'ListIdentifiers']) {
      const parts = await harvest(repository, { ...ALL, verb });
      expect(listed(parts).sort((a, b) => a - b)).toEqual(nodes);
      const tokens = parts.map(({ verb }) => verb.resumptionToken as Xml);
      expect(tokens.map((token) => Number(token['@cursor']))).toEqual([0, 3, 6]);
      expect(tokens.map((token) => Number(token['@completeListSize']))).toEqual([8, 8, 8]);
      expect(tokens.at(-1)?.['#text']).toBeUndefined();
      expect(Date.parse(tokens[0]?.['@expirationDate'])).toBeGreaterThan(Date.now());
    }
  });

  it('has no token if one part is enough', async () => {
    const { verb } = await oai(repository, { ...ALL, set: `node:${collections.other}` });
    expect(verb.resumptionToken).toBeUndefined();
  });

  it('continues after a restart', async () => {
    let restarts = 0;
    const parts = await harvest(repository, ALL, async () => {
      if (restarts++ === 0) await repository.restart();
    });
    expect(listed(parts).sort((a, b) => a - b)).toEqual(nodes);
  });

  it('may be repeated from any token', async () => {
    const [first] = await harvest(repository, ALL);
    const token = tokenIn(first as NonNullable<typeof first>) ?? '';
    const again = () => oai(repository, { verb: 'ListRecords', resumptionToken: token });
    expect(nodesIn(await again())).toEqual(nodesIn(await again()));
  });

  it('loses no record and no change if nodes are written between its parts', async () => {
    const extra = await build.node('image', 'Changed meanwhile', { field_member_of: [collections.other] });
    let added = 0;
    const parts = await harvest(repository, ALL, async ({ text }) => {
      if (added > 0) return;
      expect(text).not.toContain('Changed meanwhile');
      added = await build.node('image', 'Added meanwhile');
      await build.change(`/node/${extra}`, { type: 'islandora_object', title: ['Another title'] });
    });
    const found = listed(parts);
    for (const node of [...nodes, extra, added]) expect(found).toContain(node);
    const titles = parts.map(({ text }) => text).join('');
    expect(titles).toContain('Another title');
    for (const node of [extra, added]) await repository.delete(`/node/${node}?_format=json`, 'admin');
  });

  it('contains a deleted record for a node hidden or deleted between its parts', async () => {
    const [hidden, removed] = [await build.node('image', 'To be hidden'), await build.node('image', 'To be deleted')];
    let parts = 0;
    const all = await harvest(repository, ALL, async () => {
      if (parts++ > 0) return;
      await build.change(`/node/${hidden}`, { type: 'islandora_object', status: [false] });
      await repository.delete(`/node/${removed}?_format=json`, 'admin');
    });
    expect(all.flatMap(deletedIn)).toEqual(expect.arrayContaining([hidden, removed]));
    for (const { text } of all) expect(text).not.toMatch(/To be/);
  });
});

describe('a resumption token', () => {
  const resume = (token: string, verb = 'ListRecords') => oai(repository, { verb, resumptionToken: token });
  const issued = async () => tokenIn(await oai(repository, ALL)) ?? '';

  it('is invalid for another verb', async () => {
    const token = await issued();
    for (const verb of ['ListIdentifiers', 'ListSets'])
      expect((await resume(token, verb)).error).toBe('badResumptionToken');
    expect((await resume(token)).error).toBeUndefined();
  });

  it('is invalid if it is forged or changed', async () => {
    const [body = '', mac = ''] = (await issued()).split('.');
    const changed = Buffer.from(Buffer.from(body, 'base64url').toString().replace('oai_dc', 'mods')).toString(
      'base64url',
    );
    for (const token of [
      `${changed}.${mac}`,
      body,
      `${body}.`,
      `${body}.${mac.slice(2)}`,
      'junk',
      '\u0000',
      '<&"',
      'x'.repeat(9_000),
    ])
      expect((await resume(token)).error).toBe('badResumptionToken');
  });

  it('is invalid if another repository issued it', async () => {
    const state = { verb: 'ListRecords', selection: { ...SELECTION }, position: POSITION } as const;
    const token = resumptionToken(state, Math.floor(Date.now() / 1000), Buffer.alloc(32, 7));
    expect((await resume(token)).error).toBe('badResumptionToken');
  });

  it('is invalid once it has expired', async () => {
    const { services } = repository.running;
    const { secret } = await loadKeys(services.database, repository.dataFolder);
    const state = { verb: 'ListRecords', selection: { ...SELECTION }, position: POSITION } as const;
    const DAY = 86_400;
    expect((await resume(resumptionToken(state, services.now() - DAY - 1, secret))).error).toBe('badResumptionToken');
    expect((await resume(resumptionToken(state, services.now(), secret))).error).toBeUndefined();
  });

  it('is invalid for a format that the repository no longer has', async () => {
    const { services } = repository.running;
    const { secret } = await loadKeys(services.database, repository.dataFolder);
    const state = {
      verb: 'ListRecords',
      selection: { ...SELECTION, metadataPrefix: 'gone' },
      position: POSITION,
    } as const;
    expect((await resume(resumptionToken(state, services.now(), secret))).error).toBe('badResumptionToken');
  });

  const SELECTION = { metadataPrefix: 'oai_dc', from: undefined, until: undefined, set: undefined };
  const POSITION = { stamp: 0, nid: 0, cursor: 3, size: 8 };
});

describe('sets', () => {
  it('are the collections that anonymous callers may view', async () => {
    const closed = await build.node('collection', 'Closed', { status: [false] });
    const parts = await harvest(repository, { verb: 'ListSets' });
    expect(parts.flatMap(({ verb }) => verb.set)).toEqual([
      { setSpec: [`node:${collections.top}`], setName: 'Top' },
      { setSpec: [`node:${collections.below}`], setName: 'Below' },
      { setSpec: [`node:${collections.other}`], setName: 'Other & more' },
    ]);
    expect((await oai(repository, { ...ALL, set: `node:${closed}` })).error).toBe('noRecordsMatch');
    await repository.delete(`/node/${closed}?_format=json`, 'admin');
  });

  it('contain their members, and those of collections below them', async () => {
    const [top, below, other, inTop, ...inBelow] = nodes as [number, number, number, number, ...number[]];
    const [first = 0, second = 0, ...inOther] = inBelow;
    const inSet = async (set: number) => listed(await harvest(repository, { ...HEADERS, set: `node:${set}` }));
    expect(await inSet(collections.below)).toEqual([first, second]);
    expect((await inSet(collections.top)).sort((a, b) => a - b)).toEqual([below, inTop, first, second]);
    expect(await inSet(collections.other)).toEqual(expect.arrayContaining(inOther));
    const { verb } = await oai(repository, {
      verb: 'GetRecord',
      metadataPrefix: 'oai_dc',
      identifier: identifier(first),
    });
    expect(verb.record[0].header[0].setSpec).toEqual([`node:${top}`, `node:${below}`]);
    expect(await inSet(collections.top)).not.toContain(other);
  });

  it('are listed in parts', async () => {
    const more = [await build.node('collection', 'Fourth'), await build.node('collection', 'Fifth')];
    const parts = await harvest(repository, { verb: 'ListSets' });
    expect(parts.map(({ verb }) => verb.set.length)).toEqual([3, 2]);
    for (const node of more) await repository.delete(`/node/${node}?_format=json`, 'admin');
  });

  it('may contain themselves', async () => {
    const loop = await build.node('collection', 'Loop');
    await build.change(`/node/${loop}`, { type: 'islandora_object', field_member_of: [loop] });
    expect(listed(await harvest(repository, { ...HEADERS, set: `node:${loop}` }))).toEqual([loop]);
    await repository.delete(`/node/${loop}?_format=json`, 'admin');
  });

  it('do not exist without a collection', async () => {
    const empty = await createTestRepository();
    try {
      const { nid } = await empty.node();
      expect((await oai(empty, { verb: 'ListSets' })).error).toBe('noSetHierarchy');
      expect((await oai(empty, { ...ALL, set: 'node:1' })).error).toBe('noSetHierarchy');
      expect(nodesIn(await oai(empty, ALL))).toEqual([nid[0].value]);
    } finally {
      await empty.stop();
    }
  });
});

describe('a period', () => {
  it('selects by seconds and by days, including both ends', async () => {
    const node = await build.node('image', 'Of this moment');
    const get = { verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: identifier(node) };
    const { verb } = await oai(repository, get);
    const stamp = verb.record[0].header[0].datestamp as string;
    const day = stamp.slice(0, 10);
    const found = async (period: Record<string, string>) =>
      listed(await harvest(repository, { ...HEADERS, ...period }));
    expect(await found({ from: stamp, until: stamp })).toContain(node);
    expect(await found({ from: day, until: day })).toContain(node);
    expect(await found({ from: day })).toContain(node);
    expect(await found({ until: day })).toContain(node);
    const later = new Date(Date.parse(stamp) + 1_000).toISOString().replace('.000', '');
    const after = await oai(repository, { ...HEADERS, from: later });
    expect(after.error === 'noRecordsMatch' || !nodesIn(after).includes(node)).toBe(true);
    await repository.delete(`/node/${node}?_format=json`, 'admin');
  });
});

describe('access', () => {
  it('requires the permission restful get oai_pmh', async () => {
    const modelFile = `${repository.dataFolder}/closed.yaml`;
    await Bun.write(
      modelFile,
      'roles: { anonymous: { permissions: [access content, view media] }, authenticated: { permissions: [access content] } }\n',
    );
    const closed = await createTestRepository({ modelFile });
    try {
      await closed.user('reader');
      expect((await closed.get('/oai/request?verb=Identify')).status).toBe(401);
      const refused = await closed.get('/oai/request?verb=Identify', 'reader');
      expect({ status: refused.status, body: await refused.json() }).toEqual({
        status: 403,
        body: { message: expect.stringContaining('restful get oai_pmh') },
      });
      expect((await oai(closed, { verb: 'Identify' }, 'admin')).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });
});
