import { describe, expect, it } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { answered, CONTEXT, define, lines, parsed } from './definitions.ts';

const UUID = '0e6f3c2e-6d5b-4c4f-9f0e-0a8f0e0c7a11';
const TERM = define('entity_reference', { targetType: 'taxonomy_term' });
const BUNDLE = define('entity_reference', { targetType: 'node_type' });
const AGENT = define('typed_relation', {
  targetType: 'taxonomy_term',
  relationTypes: { 'relators:att': '', 'relators:aut': 'Author' },
});
const WRONG_ID = ['field_x.0.target_id: This value should be of the correct primitive type.'];

describe('entity_reference', () => {
  it.each<[JsonValue, JsonValue]>([
    [{ target_id: 32 }, { target_id: 32 }],
    [{ target_id: '32', target_type: 'node_type' }, { target_id: 32 }],
    [32, { target_id: 32 }],
    ['32', { target_id: 32 }],
    [{ target_id: 0 }, { target_id: 0 }],
    [{ target_uuid: UUID, target_type: 'taxonomy_term' }, { target_uuid: UUID }],
    [{ target_id: 5, target_uuid: UUID, url: '/taxonomy/term/5' }, { target_uuid: UUID }],
    [{ target_id: '', target_uuid: UUID }, { target_uuid: UUID }],
    [{ target_id: 5, target_uuid: '' }, { target_id: 5 }],
    [{ target_id: 5, target_uuid: null }, { target_id: 5 }],
  ])('reads %j as %j', (raw, expected) => {
    expect(parsed(raw, TERM)).toEqual([expected] as never);
    expect(lines(raw, TERM)).toEqual([]);
  });

  it.each<[JsonValue]>([
    [{ target_id: '', target_type: 'taxonomy_term' }],
    [{ target_id: null }],
    [{ target_id: false }],
    [{ target_uuid: '' }],
    [{ target_type: 'taxonomy_term' }],
    [{}],
    [null],
    [''],
    [false],
  ])('drops %j, which refers to nothing', (raw) => {
    expect(parsed(raw, TERM)).toEqual([]);
  });

  it.each<[JsonValue]>([['abc'], [1.5], [true], [{}], [[5]], ['9007199254740993'], [1e300]])(
    'reports the invalid id %j',
    (target_id) => {
      expect(parsed({ target_id }, TERM)).toEqual([{ target_id }]);
      expect(lines({ target_id }, TERM)).toEqual(WRONG_ID);
    },
  );

  it('reports a UUID that is not text', () => {
    expect(lines({ target_uuid: 5 }, TERM)).toEqual([
      'field_x.0.target_uuid: This value should be of the correct primitive type.',
    ]);
  });

  it('keeps the members added by the repository, in the order of the API', () => {
    const stored = { url: '/taxonomy/term/5', target_uuid: UUID, target_type: 'taxonomy_term', target_id: 5 };
    expect(JSON.stringify(answeredOf(stored))).toBe(
      `{"target_id":5,"target_type":"taxonomy_term","target_uuid":"${UUID}","url":"/taxonomy/term/5"}`,
    );
    expect(answeredOf({ target_id: 5 })).toEqual({ target_id: 5 });
  });
});

describe('entity_reference to configuration', () => {
  it.each<[JsonValue, JsonValue]>([
    ['islandora_object', { target_id: 'islandora_object' }],
    [{ target_id: 'islandora_object', target_uuid: UUID }, { target_id: 'islandora_object' }],
    [{ target_id: 5 }, { target_id: '5' }],
    [{ target_uuid: UUID }, { target_uuid: UUID }],
  ])('reads %j as %j', (raw, expected) => {
    expect(parsed(raw, BUNDLE)).toEqual([expected] as never);
    expect(lines(raw, BUNDLE)).toEqual([]);
  });

  it.each<[JsonValue]>([[true], [{}], [[]]])('reports the invalid id %j', (target_id) => {
    expect(lines({ target_id }, BUNDLE)).toEqual(WRONG_ID);
  });
});

describe('typed_relation', () => {
  it('keeps target and role', () => {
    const sent = { rel_type: 'relators:aut', target_id: '34', target_type: 'taxonomy_term' };
    expect(parsed(sent, AGENT)).toEqual([{ target_id: 34, rel_type: 'relators:aut' }]);
    expect(lines(sent, AGENT)).toEqual([]);
    expect(JSON.stringify(answered(sent, AGENT))).toBe('[{"target_id":34,"rel_type":"relators:aut"}]');
  });

  it('accepts a role without a label', () => {
    expect(lines({ target_id: 1, rel_type: 'relators:att' }, AGENT)).toEqual([]);
  });

  it.each<[JsonValue]>([
    [{ target_id: 34 }],
    [{ target_id: 34, rel_type: '' }],
    [{ target_id: 34, rel_type: null }],
    [{ target_id: 34, rel_type: false }],
    [{ target_id: null, rel_type: 'relators:aut' }],
    [{ target_id: false, rel_type: 'relators:aut' }],
    [34],
  ])('drops the incomplete value %j', (raw) => {
    expect(parsed(raw, AGENT)).toEqual([]);
  });

  it.each([['relators:xyz'], ['constructor'], ['__proto__']])('refuses the role %s', (rel_type) => {
    expect(lines({ target_id: 34, rel_type }, AGENT)).toEqual([
      'field_x.0.rel_type: The value you selected is not a valid choice.',
    ]);
  });

  it('reports a role that is not text', () => {
    expect(lines({ target_id: 34, rel_type: {} }, AGENT)).toEqual([
      'field_x.0.rel_type: This value should be of the correct primitive type.',
    ]);
  });
});

describe('entity_reference_revisions', () => {
  const definition = define('entity_reference_revisions');

  it('keeps target and revision', () => {
    const sent = { target_id: '3', target_revision_id: '9' };
    expect(answered(sent, definition)).toEqual([{ target_id: 3, target_revision_id: 9 }]);
    expect(answered({ target_id: 3 }, definition)).toEqual([{ target_id: 3, target_revision_id: null }]);
    expect(lines({ target_id: 3 }, definition)).toEqual([]);
  });

  it('reports a revision that is not a number', () => {
    expect(lines({ target_id: 3, target_revision_id: 'x' }, definition)).toEqual([
      'field_x.0.target_revision_id: This value should be of the correct primitive type.',
    ]);
  });
});

it('config_reference refers by name', () => {
  expect(parsed('administrator', define('config_reference'))).toEqual([{ target_id: 'administrator' }]);
});

function answeredOf(stored: { [member: string]: JsonValue }) {
  return BUILT_IN.entity_reference.complete(stored, TERM, CONTEXT);
}
