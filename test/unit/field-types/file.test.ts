import { describe, expect, it } from 'bun:test';
import { image } from '../../../src/field-types/image.tsx';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { answered, CONTEXT, define, lines, parsed } from './definitions.ts';

const FILE = define('file', { targetType: 'file' });
const IMAGE = define('image', { targetType: 'file' });
const TRACK = define('media_track', { targetType: 'file' });

describe('file', () => {
  it.each([
    [
      { target_id: '5', target_type: 'file' },
      { target_id: 5, display: true, description: null },
    ],
    [
      { target_id: 5, display: '0', description: '' },
      { target_id: 5, display: false, description: '' },
    ],
    [5, { target_id: 5, display: true, description: null }],
  ])('reads %j', (raw, expected) => {
    expect(answered(raw, FILE)).toEqual([expected]);
    expect(lines(raw, FILE)).toEqual([]);
  });

  it('reports each invalid member', () => {
    expect(lines({ target_id: 'x', display: 'maybe', description: [] }, FILE)).toEqual([
      'field_x.0.target_id: This value should be of the correct primitive type.',
      'field_x.0.display: This value should be of the correct primitive type.',
      'field_x.0.description: This value should be of the correct primitive type.',
    ]);
  });

  it('is empty without a target', () => {
    expect(parsed({ target_id: '', display: true, description: 'x' }, FILE)).toEqual([]);
  });
});

describe('image', () => {
  it('defaults to an empty alternative text without a size', () => {
    expect(JSON.stringify(answered({ target_id: 7 }, IMAGE))).toBe(
      '[{"target_id":7,"alt":"","title":null,"width":null,"height":null}]',
    );
    expect(lines({ target_id: 7 }, IMAGE)).toEqual([]);
  });

  it('ignores a submitted size', () => {
    const sent = { target_id: 7, alt: 'a', title: '', width: 1, height: '2' };
    expect(parsed(sent, IMAGE)).toEqual([{ target_id: 7, alt: 'a', title: '' }]);
  });

  it('reads null as an empty alternative text', () => {
    expect(parsed({ target_id: 7, alt: null, title: null }, IMAGE)).toEqual([{ target_id: 7, alt: '', title: null }]);
  });

  it('reports each invalid member', () => {
    expect(lines({ target_id: 7, alt: {}, title: [] }, IMAGE)).toEqual([
      'field_x.0.alt: This value should be of the correct primitive type.',
      'field_x.0.title: This value should be of the correct primitive type.',
    ]);
    expect(lines({ target_id: 7, alt: 'a'.repeat(513), title: 'b'.repeat(1025) }, IMAGE)).toEqual([
      'field_x.0.alt: X: may not be longer than 512 characters.',
      'field_x.0.title: X: may not be longer than 1024 characters.',
    ]);
  });

  it('keeps a stored size and address, in the order of the API', () => {
    const stored = { url: 'u', target_uuid: 'i', height: 2, width: 1, target_type: 'file', alt: 'a', target_id: 7 };
    expect(JSON.stringify(BUILT_IN.image.complete(stored, IMAGE, CONTEXT))).toBe(
      '{"target_id":7,"alt":"a","title":null,"width":1,"height":2,"target_type":"file","target_uuid":"i","url":"u"}',
    );
  });
});

describe('keep', () => {
  const stored = [{ target_id: 7, alt: 'a', title: 't' }];

  it('fills in missing members from the stored image', () => {
    expect(image.keep({ target_id: 7 }, stored)).toEqual({ target_id: 7, alt: 'a', title: 't' });
    expect(image.keep({ target_id: 7, alt: '' }, stored)).toEqual({ target_id: 7, alt: '', title: 't' });
  });

  it('also identifies the image by its UUID', () => {
    expect(image.keep({ target_uuid: 'x' }, [{ target_id: 7, target_uuid: 'x', alt: 'a' }])).toEqual({
      target_uuid: 'x',
      alt: 'a',
    });
  });

  it('fills in nothing from another image', () => {
    expect(image.keep({ target_id: 8 }, stored)).toEqual({ target_id: 8 });
    expect(image.keep({ target_uuid: 'x' }, [{ target_uuid: 'y', alt: 'a' }])).toEqual({ target_uuid: 'x' });
  });
});

describe('media_track', () => {
  it('returns its members in the order of the API', () => {
    const sent = { default: '1', srclang: 'en', kind: 'subtitles', label: 'English', target_id: '19', url: '/x' };
    expect(JSON.stringify(answered(sent, TRACK))).toBe(
      '[{"target_id":19,"label":"English","kind":"subtitles","srclang":"en","default":true}]',
    );
    expect(lines(sent, TRACK)).toEqual([]);
    expect(answered(19, TRACK)).toEqual([{ target_id: 19, label: null, kind: null, srclang: null, default: false }]);
  });

  it('reports values beyond its limits', () => {
    const sent = { target_id: 19, label: 'l'.repeat(129), kind: 'k'.repeat(21), srclang: 's'.repeat(21), default: 'x' };
    expect(lines(sent, TRACK)).toEqual([
      'field_x.0.label: X: may not be longer than 128 characters.',
      'field_x.0.kind: X: may not be longer than 20 characters.',
      'field_x.0.srclang: X: may not be longer than 20 characters.',
      'field_x.0.default: This value should be of the correct primitive type.',
    ]);
  });
});
