import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { identifier, oai, readAnswer } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let removed: number;

beforeAll(async () => {
  repository = await createTestRepository({ siteName: 'Harbour & City <Archives>' });
  const build = new SiteBuilder(repository);
  const collection = await build.node('collection', 'Photographs');
  node = await build.node('image', 'A bay', { field_member_of: [collection] });
  removed = await build.node('image', 'Removed');
  await repository.delete(`/node/${removed}?_format=json`, 'admin');
});
afterAll(() => repository.stop());

const post = async (body: string, contentType = 'application/x-www-form-urlencoded', as?: string) =>
  repository.fetch('/oai/request', { method: 'POST', body, headers: { 'Content-Type': contentType }, as });

describe('Identify', () => {
  it('describes the repository', async () => {
    const { verb, status, request } = await oai(repository, { verb: 'Identify' });
    expect(status).toBe(200);
    expect(verb).toMatchObject({
      repositoryName: 'Harbour & City <Archives>',
      baseURL: `${repository.url}/oai/request`,
      deletedRecord: 'persistent',
      adminEmail: 'webmaster@127.0.0.1',
    });
    expect(request).toEqual({ '@verb': 'Identify', '#text': `${repository.url}/oai/request` });
  });

  it('has the time of the earliest record, of a deleted node as well', async () => {
    const { verb } = await oai(repository, {
      verb: 'GetRecord',
      identifier: identifier(removed),
      metadataPrefix: 'oai_dc',
    });
    const stamp = Date.parse(verb.record[0].header[0].datestamp) / 1_000 - 3_600;
    await repository.running.services.database.write([
      { sql: 'UPDATE node_record SET harvest_stamp = ? WHERE nid = ?', args: [stamp, removed] },
    ]);
    const identified = await oai(repository, { verb: 'Identify' });
    expect(Date.parse(identified.verb.earliestDatestamp)).toBe(stamp * 1_000);
  });

  it('is sent as XML that caches revalidate', async () => {
    const response = await repository.get('/oai/request?verb=Identify');
    expect(response.headers.get('content-type')).toBe('text/xml; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-cache');
  });

  it('answers HEAD without a body', async () => {
    const response = await repository.fetch('/oai/request?verb=Identify', { method: 'HEAD' });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
  });
});

describe('a repository with a domain and an e-mail address', () => {
  it('contains identifiers and a description in the OAI identifier format', async () => {
    const named = await createTestRepository({
      baseUrl: 'https://Archive.Example.org',
      oai: { adminEmail: 'library@example.org', pageSize: 500 },
    });
    try {
      const { nid } = await named.node();
      const { verb } = await oai(named, { verb: 'Identify' });
      expect(verb.adminEmail).toBe('library@example.org');
      expect(verb.description['oai-identifier']).toMatchObject({
        repositoryIdentifier: 'archive.example.org',
        sampleIdentifier: 'oai:archive.example.org:node-1',
      });
      const asked = { verb: 'GetRecord', metadataPrefix: 'oai_dc' };
      for (const host of ['archive.example.org', 'ARCHIVE.example.org'])
        expect((await oai(named, { ...asked, identifier: `oai:${host}:node-${nid[0].value}` })).error).toBeUndefined();
      const elsewhere = `oai:other.example.org:node-${nid[0].value}`;
      expect((await oai(named, { ...asked, identifier: elsewhere })).error).toBe('idDoesNotExist');
    } finally {
      await named.stop();
    }
  });
});

describe('ListMetadataFormats', () => {
  it('lists the formats of the repository and of a record', async () => {
    const all = await oai(repository, { verb: 'ListMetadataFormats' });
    expect(all.verb.metadataFormat.map((each: Record<string, string>) => each.metadataPrefix)).toEqual([
      'oai_dc',
      'mods',
      'datacite',
    ]);
    const one = await oai(repository, { verb: 'ListMetadataFormats', identifier: identifier(node) });
    expect(one.verb).toEqual(all.verb);
  });

  it('returns noMetadataFormats for a deleted record, and idDoesNotExist for an unknown one', async () => {
    expect((await oai(repository, { verb: 'ListMetadataFormats', identifier: identifier(removed) })).error).toBe(
      'noMetadataFormats',
    );
    expect((await oai(repository, { verb: 'ListMetadataFormats', identifier: identifier(99_999) })).error).toBe(
      'idDoesNotExist',
    );
  });
});

describe('an invalid request', () => {
  const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
  const cases: [name: string, query: string | Record<string, string>, code: string][] = [
    ['without a verb', '', 'badVerb'],
    ['with an unknown verb', { verb: 'identify' }, 'badVerb'],
    ['with the name of a member of objects as verb', { verb: 'constructor' }, 'badVerb'],
    ['with two verbs', 'verb=Identify&verb=Identify', 'badVerb'],
    ['with an argument that the verb lacks', { verb: 'Identify', set: 'node:1' }, 'badArgument'],
    ['with an argument of no verb', { ...list, _format: 'json' }, 'badArgument'],
    ['with a repeated argument', 'verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc', 'badArgument'],
    ['with an empty argument', { ...list, set: '' }, 'badArgument'],
    ['without a required argument', { verb: 'ListRecords' }, 'badArgument'],
    ['without both required arguments', { verb: 'GetRecord' }, 'badArgument'],
    ['with a token beside other arguments', { ...list, resumptionToken: 'x' }, 'badArgument'],
    ['with a date that is none', { ...list, from: 'yesterday' }, 'badArgument'],
    ['with a date that no calendar has', { ...list, from: '2025-02-29' }, 'badArgument'],
    ['with a time that no day has', { ...list, until: '2025-02-28T24:00:01Z' }, 'badArgument'],
    ['with a time without Z', { ...list, from: '2025-02-28T10:00:00' }, 'badArgument'],
    ['with fractions of seconds', { ...list, from: '2025-02-28T10:00:00.5Z' }, 'badArgument'],
    ['with a month', { ...list, from: '2025-02' }, 'badArgument'],
    ['with two granularities', { ...list, from: '2025-01-01', until: '2025-02-01T00:00:00Z' }, 'badArgument'],
    ['with from after until', { ...list, from: '2025-02-02', until: '2025-02-01' }, 'badArgument'],
    ['with a set in wrong syntax', { ...list, set: 'a::b' }, 'badArgument'],
    ['with a prefix in wrong syntax', { ...list, metadataPrefix: 'oai dc' }, 'badArgument'],
    [
      'with an identifier that is no URI',
      { verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: 'a b' },
      'badArgument',
    ],
    ['for an unknown format', { ...list, metadataPrefix: 'marc21' }, 'cannotDisseminateFormat'],
    ['for an unknown set', { ...list, set: 'node:99999' }, 'noRecordsMatch'],
    ['for a set of another kind', { ...list, set: 'everything' }, 'noRecordsMatch'],
    ['for a period before the earliest record', { ...list, until: '1999-12-31' }, 'noRecordsMatch'],
    ['for a period in the future', { ...list, from: '2999-01-01T00:00:00Z' }, 'noRecordsMatch'],
  ];
  for (const [name, query, code] of cases)
    it(`${name} returns ${code}`, async () => {
      const { error, request, status } = await oai(repository, query);
      expect({ status, error }).toEqual({ status: 200, error: code });
      const hasAttributes = code !== 'badVerb' && code !== 'badArgument';
      expect(typeof request === 'object').toBe(hasAttributes);
    });

  it('returns idDoesNotExist for an unknown record, and cannotDisseminateFormat for an unknown format', async () => {
    const get = (id: string, metadataPrefix: string) =>
      oai(repository, { verb: 'GetRecord', identifier: id, metadataPrefix });
    for (const id of [
      identifier(99_999),
      'oai:127.0.0.1:media-1',
      'http://127.0.0.1/node/1',
      `${identifier(node)}0000000000000000`,
    ])
      expect((await get(id, 'oai_dc')).error).toBe('idDoesNotExist');
    expect((await get(identifier(node), 'marc21')).error).toBe('cannotDisseminateFormat');
  });

  it('returns a short error for any characters', async () => {
    for (const junk of ['<&>"\'', 'ł\u0000\u000b\ud800', '😀'.repeat(100), 'x'.repeat(100_000)]) {
      const { error, text } = await readAnswer(
        await post(new URLSearchParams({ verb: junk }).toString()).then(smaller),
      );
      expect(error).toBe('badVerb');
      expect(text.length).toBeLessThan(2_000);
    }
  });

  /** A form of 100,000 characters is too large, and the same verb in an address is not. */
  const smaller = async (response: Response) =>
    response.status === 413 ? repository.get(`/oai/request?verb=${'x'.repeat(100_000)}`) : response;
});

describe('POST', () => {
  it('returns the same as GET', async () => {
    const parameters = { verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: identifier(node) };
    const posted = await readAnswer(await post(new URLSearchParams(parameters).toString()));
    expect(posted.verb).toEqual((await oai(repository, parameters)).verb);
    expect((await readAnswer(await post(''))).error).toBe('badVerb');
  });

  it('ignores arguments in the address', async () => {
    const response = await repository.fetch('/oai/request?verb=Identify', {
      method: 'POST',
      body: 'verb=ListMetadataFormats',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect((await readAnswer(response)).verb.metadataFormat).toBeDefined();
  });

  it('accepts only a form of at most 64 KiB', async () => {
    expect((await post('{"verb":"Identify"}', 'application/json')).status).toBe(415);
    expect((await post(`verb=Identify&set=${'x'.repeat(70_000)}`)).status).toBe(413);
  });

  it('needs no CSRF token', async () => {
    await repository.user('visitor');
    expect((await post('verb=Identify', undefined, 'visitor')).status).toBe(200);
  });
});

describe('other methods', () => {
  it('return 405 with the allowed methods', async () => {
    const response = await repository.fetch('/oai/request', { method: 'DELETE', as: 'admin' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
  });
});
