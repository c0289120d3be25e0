import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: EntityJson;
let path: string;
beforeAll(async () => {
  repository = await createTestRepository();
  node = await repository.node();
  path = `/node/${node.nid[0].value}`;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const type = 'islandora_object';
const MILLION = 1_000_000;
const DEEP = 100_000;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Returns a value as read after a PATCH and from the database. */
async function kept(field: string, items: unknown): Promise<unknown> {
  const response = await repository.patch(path, { type, [field]: items }, 'admin');
  if (response.status !== 200) throw new Error(`${response.status} ${(await response.text()).slice(0, 300)}`);
  const answered = ((await response.json()) as EntityJson)[field];
  const read = (await (await repository.get(path, 'admin')).json()) as EntityJson;
  expect(read[field]).toEqual(answered);
  return answered;
}

async function refused(text: string): Promise<[number, string]> {
  const response = await repository.patch(path, text, 'admin');
  return [response.status, ((await response.json()) as EntityJson).message];
}

describe('large values', () => {
  it('of a million characters are stored unchanged', async () => {
    const items = [{ value: 'ä"\\\n📚'.repeat(MILLION / 6) }];
    expect(await kept('field_description', items)).toEqual(items);
    expect(await kept('field_description', [])).toEqual([]);
  });

  it('of formatted text are rendered without scripts', async () => {
    const text = `${'<p>x</p><script>alert(1)</script>'.repeat(20_000)}`;
    const [item] = (await kept('field_abstract', [{ value: text, format: 'basic_html' }])) as [EntityJson];
    expect(item.value).toBe(text);
    expect(item.processed).not.toContain('script');
    await kept('field_abstract', []);
  });

  it('of 5,000 items keep their order', async () => {
    const items = Array.from({ length: 5000 }, (_each, at) => ({ value: `${at}` }));
    expect(await kept('field_identifier', items)).toEqual(items);
    expect(await kept('field_identifier', items.toReversed())).toEqual(items.toReversed());
    expect(await kept('field_identifier', [])).toEqual([]);
  });

  it('of 5,000 references are stored, and removed with their target', async () => {
    const target = (await repository.node()).nid[0].value;
    const items = Array.from({ length: 5000 }, () => ({ target_id: target }));
    expect(await kept('field_member_of', items)).toHaveLength(5000);
    const members = (await (await repository.get(`/node/${target}/members`, 'admin')).json()) as EntityJson[];
    expect(members.map(({ nid }) => nid)).toEqual([node.nid]);
    expect((await repository.delete(`/node/${target}`, 'admin')).status).toBe(204);
    const read = (await (await repository.get(path, 'admin')).json()) as EntityJson;
    expect(read.field_member_of).toEqual([]);
  });

  it.each([
    ['dates', 'field_edtf_date', 'x'],
    ['references', 'field_subject', 99_999_999],
  ])('with ten thousand invalid %s cause a hundred messages', async (_name, field, item) => {
    const [status, message] = await refused(JSON.stringify({ type, [field]: Array(10_000).fill(item) }));
    expect(status).toBe(422);
    expect(message.split('\n')).toHaveLength(102);
  });

  it.each([
    ['values', 'field_identifier', Array(10_001).fill('x'), 'with it the body holds more than 10000 values'],
    [
      'tags',
      'field_abstract',
      [{ value: '<b>'.repeat(100_001), format: 'basic_html' }],
      'together with the fields before it, it holds more than 100000 tags',
    ],
    [
      'formatted text',
      'field_abstract',
      [{ value: 'x'.repeat(4_000_001), format: 'plain_text' }],
      'together with the fields before it, it holds more than 4000000 characters of formatted text',
    ],
    [
      'dates',
      'field_edtf_date',
      Array(400).fill(`[${Array(10).fill('Y17E8').join(',')}]`),
      'together with the fields before it, it holds more than 20000 characters of dates',
    ],
  ])('with too many %s are refused', async (_name, field, items, why) => {
    expect(await refused(JSON.stringify({ type, [field]: items }))).toEqual([
      422,
      `The field "${field}" is too large: ${why}.`,
    ]);
  });

  it('count towards the limit over all fields of a body', async () => {
    const text = [{ value: '<b>'.repeat(60_000), format: 'basic_html' }];
    expect(await refused(JSON.stringify({ type, field_abstract: text, field_rights: text }))).toEqual([
      422,
      'The field "field_rights" is too large: together with the fields before it, it holds more than 100000 tags.',
    ]);
  });

  it('with a hundred thousand unknown members cause one message', async () => {
    const members = Object.fromEntries(Array.from({ length: DEEP }, (_each, at) => [`x${at}`, []]));
    expect(await refused(JSON.stringify({ type, ...members }))).toEqual([422, 'Field "x0" is unknown.']);
    expect(await refused(`{"type":"${type}","${'x'.repeat(MILLION)}":[]}`)).toEqual([
      422,
      `Field "${'x'.repeat(100)}…" is unknown.`,
    ]);
  });
});

describe('text', () => {
  it.each([
    ['every script', 'Ελληνικά русский 中文 العربية हिन्दी'],
    ['astral characters', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧‍👦 \u{10ffff}'],
    ['combining marks without normalization', 'é e\u0301 \u1e9b\u0323'],
    ['invisible characters', '\u200b\u202e\ufeff\u00ad\u2028\u2029'],
    ['control characters but NUL', '\u0001\b\t\n\v\f\r\u001b\u007f\u0085'],
    ['non-characters', '\ufffe\uffff\ufffd'],
    ['quotes and backslashes', `'";--\\\\ \\u0000 "}],"status":[{"value":false`],
    ['members of JSON', '","revision_log":[{"value":"x"}],"status":['],
    ['surrounding blanks', '  x  '],
  ])('keeps %s', async (_name, value) => {
    expect(await kept('title', [{ value }])).toEqual([{ value }]);
    const seen = (await (await repository.get(path)).json()) as EntityJson;
    expect(seen.title).toEqual([{ value }]);
    expect(Object.keys(seen)).not.toContain('revision_log');
  });

  it('counts characters, not bytes or halves of them', async () => {
    const title = [{ value: '📚'.repeat(255) }];
    expect(await kept('title', title)).toEqual(title);
    const [status, message] = await refused(JSON.stringify({ type, title: ['📚'.repeat(256)] }));
    expect({ status, problem: message.split('\n')[1] }).toEqual({
      status: 422,
      problem: 'title.0.value: Title: may not be longer than 255 characters.',
    });
  });

  it.each([
    ['NUL', '"\\u0000"', 'U+0000'],
    ['the first half of a surrogate pair', '"a\\ud83d"', 'U+D83D'],
    ['the second half of a surrogate pair', '"\\udcda b"', 'U+DCDA'],
    ['a reversed surrogate pair', '"\\udcda\\ud83d"', 'U+DCDA'],
  ])('cannot contain %s, and the error has its code point', async (_name, json, character) => {
    const message = `The character ${character} cannot be stored. Remove it.`;
    for (const field of ['title', 'field_description', 'field_identifier'])
      expect(await refused(`{"type":"${type}","${field}":[{"value":${json}}]}`)).toEqual([
        422,
        `Unprocessable Entity: validation failed.\n${field}.0.value: ${message}\n`,
      ]);
    expect((await refused(`{"type":${json}}`))[0]).toBe(422);
    expect((await refused(`{"type":"${type}",${json}:[]}`))[0]).toBe(422);
  });
});

describe('numbers', () => {
  it.each([
    ['9007199254740993', 422],
    ['123456789012345678901234567890', 422],
    ['1e400', 422],
    ['-1', 422],
    ['"1e3"', 422],
    ['"0x10"', 422],
    ['" 7 "', 200],
    ['7.0', 200],
    ['1e2', 200],
    ['2147483647', 200],
  ])('such as %s in an integer field return %d', async (json, status) => {
    const response = await repository.patch(path, `{"type":"${type}","field_weight":[{"value":${json}}]}`, 'admin');
    expect(response.status).toBe(status);
    if (status === 200)
      expect(((await response.json()) as EntityJson).field_weight).toEqual([{ value: Number(JSON.parse(json)) }]);
  });

  it('of degrees keep the digits that were sent', async () => {
    await kept('field_coordinates', [{ lat: '99.1', lng: -0.1 }]);
    expect(await (await repository.get(path, 'admin')).text()).toContain(
      '"field_coordinates":[{"lat":99.1,"lng":-0.1,',
    );
  });
});

describe('odd JSON', () => {
  it.each([
    ['in place of a field', `{"type":"${type}","title":${nested(DEEP)}}`, 422],
    ['in place of an item', `{"type":"${type}","title":[{"value":${nested(DEEP)}}]}`, 422],
    ['in an ignored member', `{"type":"${type}","title":[{"value":"x","foo":${nested(DEEP)}}]}`, 422],
    ['in the options of a link', `{"type":"${type}","field_subject":[{"target_id":${nested(DEEP)}}]}`, 422],
    ['as an unknown field', `{"type":"${type}","x":${nested(DEEP)}}`, 422],
    ['in objects', `{"type":"${type}","title":[${'{"value":'.repeat(DEEP)}1${'}'.repeat(DEEP)}]}`, 422],
    ['without an end', `{"type":"${type}","title":${'['.repeat(DEEP)}`, 400],
  ])('with a hundred thousand levels %s is refused', async (_name, text, status) => {
    const [answered, message] = await refused(text);
    expect(answered).toBe(status);
    expect(message.length).toBeLessThan(400);
  });

  it('with a repeated member keeps the last', async () => {
    const response = await repository.patch(
      path,
      `{"type":"page","type":"${type}","title":["one"],"title":["two"]}`,
      'admin',
    );
    expect(((await response.json()) as EntityJson).title).toEqual([{ value: 'two' }]);
  });

  it('with members of a prototype changes no prototype', async () => {
    expect(await refused(`{"type":"${type}","__proto__":{"isAdmin":true}}`)).toEqual([
      422,
      'Field "__proto__" is unknown.',
    ]);
    expect((await refused(`{"type":"${type}","constructor":{"prototype":{"x":1}}}`))[0]).toBe(422);
    const text = `{"type":"${type}","title":[{"__proto__":{"value":"inherited"},"value":"own","constructor":1}]}`;
    const response = await repository.patch(path, text, 'admin');
    expect(((await response.json()) as EntityJson).title).toEqual([{ value: 'own' }]);
    expect((await refused(`{"type":"${type}","title":[{"__proto__":{"value":"inherited"}}]}`))[1]).toContain(
      'title: This value should not be null.',
    );
    const link = {
      vid: 'islandora_models',
      name: ['x'],
      field_external_uri: [{ uri: 'http://example.org/', options: JSON.parse('{"__proto__":{"x":1},"a":{"b":[1]}}') }],
    };
    const term = (await (await repository.post('/taxonomy/term', link, 'admin')).json()) as EntityJson;
    expect(term.field_external_uri[0].options).toEqual({ a: { b: [1] } });
    expect(({} as EntityJson).x).toBeUndefined();
  });

  it('with a byte order mark or surrounding blanks is accepted', async () => {
    for (const text of [`\ufeff{"type":"${type}"}`, ` \r\n\t{"type" : "${type}"} \n`])
      expect((await refused(text))[0]).toBe(200);
  });
});
