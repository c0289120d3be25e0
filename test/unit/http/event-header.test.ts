import { describe, expect, it } from 'bun:test';
import { canonicalAddress, parseEventHeader } from '../../../src/http/event.ts';
import { serviceError } from '../../support/service-error.ts';

const encode = (event: unknown, encoding: BufferEncoding = 'base64') =>
  Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)).toString(encoding);

const EVENT = {
  id: 'urn:uuid:1',
  type: 'Activity',
  object: {
    id: 'urn:uuid:2',
    url: [
      { rel: 'describes', href: 'http://repo.example/1?_format=json' },
      { rel: 'canonical', href: 'http://repo.example/1' },
    ],
  },
  target: 'http://repo.example/target',
  attachment: {
    type: 'Object',
    content: {
      source_uri: 'http://repo.example/a.tif',
      destination_uri: 'http://repo.example/put',
      file_upload_uri: 'public://2018-08/2-Service File.jpg',
      args: null,
      mimetype: 'image/jpeg',
    },
  },
};

describe('a plain identifier', () => {
  it.each([
    ['urn:uuid:e4eaaaf2-d142-11e1-b3e4-080027620cdd'],
    ['9f2c1a'],
    ['Zm9v'],
    ['WzEsMl0='],
    ['{"not":"base64"}'],
    ['a b c'],
    // By chance these are base64 of a text that begins with an opening brace.
    ['e4eaaaf2-d142-11e1-b3e4-080027620cdd'],
    ['e0b1c2d3'],
    ['example-123'],
    ['extract'],
  ])('is read unchanged: %s', (value) => {
    expect(parseEventHeader(value)).toEqual({ msgId: value, event: {} });
  });

  it('is cut after 256 characters', () => {
    expect(parseEventHeader(`urn:${'x'.repeat(10_000)}`).msgId).toHaveLength(256);
  });

  it('may be missing', () => {
    expect(parseEventHeader(undefined)).toEqual({ msgId: undefined, event: {} });
  });
});

describe('an event', () => {
  it.each(['base64', 'base64url'] as const)('is read from %s', (encoding) => {
    const { msgId, event } = parseEventHeader(encode(EVENT, encoding));
    expect(msgId).toBe('urn:uuid:1');
    expect(event).toMatchObject({ target: EVENT.target, attachment: EVENT.attachment });
    expect(canonicalAddress(event)).toBe('http://repo.example/1');
  });

  it.each([
    ['its own id', { id: 'a', object: { id: 'b' } }, 'a'],
    ['its object, if it has none', { object: { id: 'b' } }, 'b'],
    ['nothing if neither has an identifier', {}, undefined],
  ])('is named by %s', (_, event, msgId) => {
    expect(parseEventHeader(encode(event)).msgId).toBe(msgId);
  });

  it('has its identifier cut after 256 characters', () => {
    expect(parseEventHeader(encode({ id: 'x'.repeat(1000) })).msgId).toHaveLength(256);
  });

  it('may contain text in any language', () => {
    const target = 'http://repo.example/日本語';
    expect(parseEventHeader(encode({ target })).event.target).toBe(target);
  });

  it.each([['thumbnail'], ['all pages, please'], ['/relative'], ['two\nlines'], ['']])(
    'may have any text as its target: %j',
    (target) => {
      expect(parseEventHeader(encode({ target })).event.target).toBe(target);
    },
  );

  it.each([[''], [null]])('may have empty addresses: %p', (nothing) => {
    const content = { source_uri: nothing, destination_uri: nothing, file_upload_uri: nothing };
    expect(parseEventHeader(encode({ attachment: { content } })).event.attachment?.content).toEqual(content);
  });

  it.each([[null], [undefined]])('may have the target %p', (target) => {
    expect(parseEventHeader(encode({ id: 'a', target })).event.target ?? undefined).toBeUndefined();
  });

  it.each([
    ['id', { id: 5 }],
    ['id', { id: 'x'.repeat(1025) }],
    ['object', { object: 'http://repo.example' }],
    ['object.url.0.href', { object: { url: [{ rel: 'canonical', href: 'no address' }] } }],
    ['target', { target: 5 }],
    ['target', { target: 'a\u0000b' }],
    ['target', { target: 'x'.repeat(32_769) }],
    ['attachment.content', { attachment: { content: [] } }],
    ['attachment.content.source_uri', { attachment: { content: { source_uri: 'http://x/\r\nX: y' } } }],
    ['attachment.content.source_uri', { attachment: { content: { source_uri: `http://x/${'y'.repeat(9000)}` } } }],
    ['attachment.content.destination_uri', { attachment: { content: { destination_uri: 7 } } }],
    ['attachment.content.args', { attachment: { content: { args: ['-a'] } } }],
    ['attachment.content.mimetype', { attachment: { content: { mimetype: true } } }],
  ])('is refused with the invalid member %s', (member, event) => {
    const sentence = `The event in the X-Repo-Event header has an invalid member ${member}.`;
    expect(() => parseEventHeader(encode(event))).toThrow(
      serviceError('malformed', new RegExp(`^${sentence.replaceAll('.', '\\.')}$`)),
    );
  });

  it('is refused if it is truncated', () => {
    const half = JSON.stringify(EVENT).slice(0, 40);
    expect(() => parseEventHeader(encode(half))).toThrow(serviceError('malformed', /^The X-Repo-Event header /));
  });
});

it('canonicalAddress is undefined without such a link', () => {
  expect(canonicalAddress({})).toBeUndefined();
  expect(canonicalAddress({ object: { url: [{ rel: 'describes', href: 'http://x/' }] } })).toBeUndefined();
});
