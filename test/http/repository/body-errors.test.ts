import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let model: number;
let use: number;
let hidden: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  node = (await repository.node({}, 'loader')).nid[0].value;
  hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value;
  model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  use = await repository.termId('http://pcdm.org/use#OriginalFile');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const NO_BUNDLE = 'Could not determine entity type bundle: "type" field is missing.';
const NOT_OBJECT = 'The body must be a JSON object with the fields of the entity.';
const VALIDATION = 'Unprocessable Entity: validation failed.\n';
const PRIMITIVE = 'This value should be of the correct primitive type.';
const DEEP = 100_000;

async function refusal(method: string, path: string, body: unknown, as = 'admin'): Promise<[number, string]> {
  const send = method === 'POST' ? repository.post : repository.patch;
  const response = await send(path, body, as);
  const answer = (await response.json()) as EntityJson;
  if (response.status >= 400) expect(Object.keys(answer)).toEqual(['message']);
  return [response.status, answer.message];
}

describe('an invalid body', () => {
  const bodies: [text: string, status: number, message: string][] = [
    ['', 400, 'The body is empty. It must be a JSON object.'],
    [' \n', 400, 'The body is empty. It must be a JSON object.'],
    ['{', 400, 'The body is not valid JSON.'],
    ['{"type":"page",}', 400, 'The body is not valid JSON.'],
    ["{'type':'page'}", 400, 'The body is not valid JSON.'],
    ['\u0000', 400, 'The body is not valid JSON.'],
    ['type=page', 400, 'The body is not valid JSON.'],
    ['null', 400, NOT_OBJECT],
    ['true', 400, NOT_OBJECT],
    ['"page"', 400, NOT_OBJECT],
    ['17', 400, NOT_OBJECT],
    ['[]', 400, NOT_OBJECT],
    ['[{"type":"page"}]', 400, NOT_OBJECT],
    ['['.repeat(DEEP), 400, 'The body is not valid JSON.'],
    ['['.repeat(DEEP) + ']'.repeat(DEEP), 400, NOT_OBJECT],
    ['{}', 422, NO_BUNDLE],
    ['{"type":null}', 422, NO_BUNDLE],
    ['{"type":[]}', 422, NO_BUNDLE],
    ['{"type":""}', 422, NO_BUNDLE],
    ['{"type":[{}]}', 422, NO_BUNDLE],
    ['{"type":[{"target_id":""}]}', 422, NO_BUNDLE],
    ['{"title":[{"value":"x"}]}', 422, NO_BUNDLE],
    ['{"type":"bad"}', 422, '"bad" is not a valid bundle type for denormalization.'],
    ['{"type":[{"target_id":"bad"}]}', 422, '"bad" is not a valid bundle type for denormalization.'],
    ['{"type":5}', 422, '"5" is not a valid bundle type for denormalization.'],
    ['{"type":false}', 422, '"false" is not a valid bundle type for denormalization.'],
    ['{"type":"__proto__"}', 422, '"__proto__" is not a valid bundle type for denormalization.'],
    ['{"type":"constructor"}', 422, '"constructor" is not a valid bundle type for denormalization.'],
    ['{"type":[{"target_id":{"toString":1}}]}', 422, '"object" is not a valid bundle type for denormalization.'],
    [
      `{"type":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
      422,
      '"object" is not a valid bundle type for denormalization.',
    ],
    [
      `{"type":[{"target_id":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}]}`,
      422,
      '"object" is not a valid bundle type for denormalization.',
    ],
    [`{"type":"${'x'.repeat(500)}"}`, 422, `"${'x'.repeat(100)}…" is not a valid bundle type for denormalization.`],
  ];

  it.each(bodies.map(([text, ...rest]) => [text.slice(0, 60), text, ...rest] as const))(
    'is rejected on POST and PATCH: %j',
    async (_shown, text, status, message) => {
      expect(await refusal('POST', '/node?_format=json', text)).toEqual([status, message]);
      expect(await refusal('PATCH', `/node/${node}?_format=json`, text)).toEqual([status, message]);
    },
  );

  it('gets an error that names the bundle member of its entity type', async () => {
    const text = (member: string) => `Could not determine entity type bundle: "${member}" field is missing.`;
    expect(await refusal('POST', '/entity/media', '{}')).toEqual([422, text('bundle')]);
    expect(await refusal('POST', '/taxonomy/term', '{}')).toEqual([422, text('vid')]);
    expect(await refusal('PATCH', `/taxonomy/term/${model}`, '{"name":[]}')).toEqual([422, text('vid')]);
  });

  it('gets 400 if it is not UTF-8', async () => {
    const response = await repository.fetch('/node', {
      method: 'POST',
      as: 'admin',
      headers: { 'Content-Type': 'application/json' },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: 'The body of the request is not UTF-8.' });
  });

  it('gets 413 if it is 17 MiB long', async () => {
    expect((await refusal('POST', '/node', `{"type":"${'x'.repeat(17 * 1024 * 1024)}"}`))[0]).toBe(413);
  });
});

/** Invalid members of an otherwise valid repository item, and their message. `$` stands for a line of validation. */
const FIELDS: [member: string, value: unknown, message: string][] = [
  ['nonsense', [], 'Field "nonsense" is unknown.'],
  ['field_tags', [], 'Field "field_tags" is unknown.'],
  ['titel', [], 'Field "titel" is unknown. Did you mean "title"?'],
  ['__proto__', [], 'Field "__proto__" is unknown.'],
  ['toString', [], 'Field "toString" is unknown.'],
  ['', [], 'Field "" is unknown.'],
  ['title', 'x', 'Field values for "title" must use an array structure'],
  ['title', 5, 'Field values for "title" must use an array structure'],
  ['title', true, 'Field values for "title" must use an array structure'],
  ['title', [['x']], 'The item "title.0" must be an object, found a list.'],
  ['field_coordinates', ['x'], 'The item "field_coordinates.0" must be an object, found a bare value.'],
  ['title', [], '$title: This value should not be null.'],
  ['title', null, '$title: This value should not be null.'],
  ['title', [{ value: '' }], '$title: This value should not be null.'],
  ['title', [{}], '$title: This value should not be null.'],
  ['title', [{ value: 'a' }, { value: 'b' }], '$title: Title: this field cannot hold more than 1 values.'],
  ['title', [{ value: 'x'.repeat(256) }], '$title.0.value: Title: may not be longer than 255 characters.'],
  ['title', [{ value: ['x'] }], `$title.0.value: ${PRIMITIVE}`],
  ['title', [{ value: 'a\u0000b' }], '$title.0.value: The character U+0000 cannot be stored. Remove it.'],
  ['title', [{ value: '\ud800' }], '$title.0.value: The character U+D800 cannot be stored. Remove it.'],
  ['field_model', [], '$field_model: This value should not be null.'],
  [
    'field_model',
    [{ target_id: 99999 }],
    '$field_model.0.target_id: The referenced entity (taxonomy_term: 99999) does not exist.',
  ],
  [
    'field_model',
    [{ target_id: 'x' }],
    `$field_model.0.target_id: The referenced entity (taxonomy_term: x) does not exist.\nfield_model.0.target_id: ${PRIMITIVE}`,
  ],
  [
    'field_model',
    [{ target_id: { toString: 1 } }],
    `$field_model.0.target_id: The referenced entity (taxonomy_term: {"toString":1}) does not exist.\nfield_model.0.target_id: ${PRIMITIVE}`,
  ],
  [
    'field_model',
    [{ target_id: 1e300 }],
    `$field_model.0.target_id: The referenced entity (taxonomy_term: 1e+300) does not exist.\nfield_model.0.target_id: ${PRIMITIVE}`,
  ],
  ['field_model', [{ target_uuid: 'x' }], 'No "taxonomy_term" entity found with UUID "x" for field "0".'],
  ['field_model', [{ target_uuid: '' }], 'If provided "target_uuid" cannot be empty for field "0".'],
  [
    'field_model',
    [{ target_uuid: 'x', target_type: 'node' }],
    'The field "field_model" property "target_type" must be set to "taxonomy_term" or omitted.',
  ],
  [
    'field_rights',
    [{ value: 'x', format: 'none' }],
    '$field_rights.0.format: The value you selected is not a valid choice.',
  ],
  ['field_weight', [{ value: 'x' }], `$field_weight.0.value: ${PRIMITIVE}`],
  ['field_weight', [{ value: 1.5 }], `$field_weight.0.value: ${PRIMITIVE}`],
  ['field_weight', [{ value: 0 }], '$field_weight.0.value: Custom Sort Value: the value may be no less than 1.'],
  [
    'field_weight',
    [{ value: 2 ** 31 }],
    '$field_weight.0.value: Custom Sort Value: the value may be no greater than 2147483647.',
  ],
  [
    'field_weight',
    [{ value: 2 ** 53 }],
    '$field_weight.0.value: Custom Sort Value: the value may be no greater than 2147483647.',
  ],
  ['field_edtf_date', [{ value: 'May' }], "$field_edtf_date.0: May is not valid EDTF: Could not parse the date 'May'."],
  ['langcode', [{ value: 'tlh' }], '$langcode.0: The value you selected is not a valid choice.'],
  ['status', [{ value: 'x' }], `$status.0.value: ${PRIMITIVE}`],
  [
    'field_linked_agent',
    [{ target_id: 99999, rel_type: 'relators:xyz' }],
    '$field_linked_agent.0.target_id: The referenced entity (taxonomy_term: 99999) does not exist.\nfield_linked_agent.0.rel_type: The value you selected is not a valid choice.',
  ],
  ['uuid', [{ value: 'x' }], '$uuid.0.value: This is not a valid UUID.'],
  ['path', [{ alias: 'x' }], '$path.0.alias: The alias path has to start with a slash.'],
  ['uid', [{ target_id: 9999 }], '$uid.0.target_id: The referenced entity (user: 9999) does not exist.'],
  [
    'created',
    [{ value: 'now' }],
    'The specified date "now" is not in an accepted format: "U" (UNIX timestamp), "Y-m-d\\TH:i:sO" (ISO 8601), "Y-m-d\\TH:i:sP" (RFC 3339).',
  ],
  [
    'created',
    [{ value: '2020-01-01T00:00:00+00:00', format: 'U' }],
    'The specified date "2020-01-01T00:00:00+00:00" is not in an accepted format: "U" (UNIX timestamp).',
  ],
];

describe('an invalid field', () => {
  it.each(
    FIELDS.map(([member, value, message]) => [member, JSON.stringify(value).slice(0, 60), value, message] as const),
  )('is rejected with its reason: %s: %s', async (member, _shown, value, message) => {
    const said = message.startsWith('$') ? `${VALIDATION}${message.slice(1)}\n` : message;
    // The uuid of an existing entity cannot be changed.
    const entries: [string, unknown][] = [
      ['type', 'islandora_object'],
      ['title', [{ value: 'x' }]],
      ['field_model', [{ target_id: model }]],
    ];
    const body = JSON.stringify(Object.fromEntries([...entries.filter(([name]) => name !== member), [member, value]]));
    expect(await refusal('POST', '/node?_format=json', body)).toEqual([422, said]);
    if (member !== 'uuid')
      expect(
        await refusal(
          'PATCH',
          `/node/${node}`,
          JSON.stringify(
            Object.fromEntries([
              ['type', 'islandora_object'],
              [member, value],
            ]),
          ),
        ),
      ).toEqual([422, said]);
  });

  it('is rejected if its target has a wrong bundle or is hidden', async () => {
    const cannot = (field: string, type: string, id: number) =>
      [422, `${VALIDATION}${field}.0.target_id: This entity (${type}: ${id}) cannot be referenced.\n`] as [
        number,
        string,
      ];
    const patch = (body: object, as = 'loader') =>
      refusal('PATCH', `/node/${node}`, { type: 'islandora_object', ...body }, as);
    expect(await patch({ field_model: [{ target_id: use }] })).toEqual(cannot('field_model', 'taxonomy_term', use));
    expect(await patch({ field_member_of: [{ target_id: hidden }] })).toEqual(
      cannot('field_member_of', 'node', hidden),
    );
    expect((await patch({ field_member_of: [{ target_id: hidden }] }, 'admin'))[0]).toBe(200);
  });
});

describe('several violations', () => {
  it('are reported together: items in field order, then missing fields', async () => {
    const body = {
      type: 'islandora_object',
      field_weight: [{ value: 'x' }],
      field_edtf_date: [{ value: '2001' }, { value: 'x' }],
      field_model: [],
      langcode: [{ value: 'xx' }],
      field_identifier: [{ value: 'x'.repeat(300) }],
    };
    expect(await refusal('POST', '/node?_format=json', body)).toEqual([
      422,
      `${VALIDATION}${[
        'langcode.0: The value you selected is not a valid choice.',
        "field_edtf_date.1: x is not valid EDTF: Could not parse the date 'x'.",
        'field_identifier.0.value: Identifier: may not be longer than 255 characters.',
        `field_weight.0.value: ${PRIMITIVE}`,
        'title: This value should not be null.',
        'field_model: This value should not be null.',
      ].join('\n')}\n`,
    ]);
  });

  it('are reported only for fields that a PATCH changes', async () => {
    const body = { type: 'islandora_object', field_weight: [{ value: 'x' }] };
    expect(await refusal('PATCH', `/node/${node}`, body)).toEqual([
      422,
      `${VALIDATION}field_weight.0.value: ${PRIMITIVE}\n`,
    ]);
  });

  it('leave the node unchanged', async () => {
    const before = await (await repository.get(`/node/${node}`, 'admin')).text();
    await refusal('PATCH', `/node/${node}`, {
      type: 'islandora_object',
      title: [{ value: 'new' }],
      field_weight: [{ value: 'x' }],
    });
    expect(await (await repository.get(`/node/${node}`, 'admin')).text()).toBe(before);
  });
});

describe('a UUID', () => {
  it('is accepted on create in any letter case, and refused a second time', async () => {
    const uuid = '0F0E0D0C-1111-4222-8333-444455556666';
    const made = await repository.node({ uuid: [{ value: uuid }] });
    expect(made.uuid).toEqual([{ value: uuid.toLowerCase() }]);
    const body = { type: 'page', title: [{ value: 'x' }], uuid: [{ value: uuid }] };
    expect(await refusal('POST', '/node', body)).toEqual([
      422,
      `${VALIDATION}uuid: The UUID ${uuid.toLowerCase()} is in use already.\n`,
    ]);
  });
});
