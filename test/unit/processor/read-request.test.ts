import { describe, expect, it } from 'bun:test';
import { readGet, readPost } from '../../../src/processor/read-request.ts';
import { serviceError } from '../../support/service-error.ts';

const SOURCE = 'http://repo.example/a.tif';
const encode = (event: unknown) => Buffer.from(JSON.stringify(event)).toString('base64');
const asLatin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const CONTENT = {
  source_uri: 'http://repo.example/from-event.tif',
  destination_uri: 'http://repo.example/destination',
  file_upload_uri: 'public://2018-08/2-Service File.jpg',
  args: '-event "two words"',
  mimetype: 'image/png',
};
const EVENT = encode({
  id: 'urn:uuid:1',
  target: 'http://repo.example/target',
  object: { url: [{ rel: 'canonical', href: 'http://repo.example/node/1' }] },
  attachment: { content: CONTENT },
});
const WITH = { 'apix-ldp-resource': SOURCE };

describe('a GET', () => {
  it('requests only its source by default', () => {
    expect(readGet(WITH)).toEqual({
      sourceUrl: new URL(SOURCE),
      args: [],
      destinationType: undefined,
      msgId: undefined,
      destinationUri: undefined,
      fileUploadUri: undefined,
      target: undefined,
      canonical: undefined,
    });
  });

  it('is read from its headers', () => {
    const headers = { accept: 'image/jpeg', 'x-repo-args': `-a 'b c'`, 'x-repo-event': 'urn:uuid:2' };
    expect(readGet({ ...WITH, ...headers })).toMatchObject({
      args: ['-a', 'b c'],
      destinationType: 'image/jpeg',
      msgId: 'urn:uuid:2',
    });
  });

  it.each([
    ['http://repo.example/a%20b.tif?x=1&y=%2F', 'http://repo.example/a%20b.tif?x=1&y=%2F'],
    ['HTTPS://Repo.Example:443/a', 'https://repo.example/a'],
    ['http://repo.example/a#part', 'http://repo.example/a'],
    ['http://repo.example/with blank.tif', 'http://repo.example/with%20blank.tif'],
    [asLatin1('http://repo.example/日本.tif'), 'http://repo.example/%E6%97%A5%E6%9C%AC.tif'],
  ])('has the source %s', (address, href) => {
    expect(readGet({ 'apix-ldp-resource': address }).sourceUrl?.href).toBe(href);
  });

  it.each<[string | undefined, RegExp]>([
    [undefined, /^The Apix-Ldp-Resource header is missing/],
    ['', /^The Apix-Ldp-Resource header is missing/],
    ['repo.example/a.tif', /must hold an http or https URL\.$/],
    ['/a.tif', /must hold an http or https URL\.$/],
    ['file:///etc/passwd', /must hold an http or https URL\.$/],
    ['ftp://repo.example/a', /must hold an http or https URL\.$/],
    ['http://', /must hold an http or https URL\.$/],
    ['http://repo.example:99999/', /must hold an http or https URL\.$/],
    ['http://user@repo.example/', /must not hold a user name or password/],
    ['http://:secret@repo.example/', /must not hold a user name or password/],
  ])('is refused with the source %p', (address, message) => {
    const headers = address === undefined ? {} : { 'apix-ldp-resource': address };
    expect(() => readGet(headers)).toThrow(serviceError('malformed', message));
  });

  it('hides a password in its error', () => {
    const headers = { 'apix-ldp-resource': 'http://user:secret@repo.example/' };
    expect(() => readGet(headers)).toThrow(serviceError('malformed', /^(?!.*secret)/));
  });

  it('takes a missing source from the event', () => {
    expect(readGet({ 'x-repo-event': EVENT }).sourceUrl?.href).toBe(CONTENT.source_uri);
    expect(readGet({ ...WITH, 'x-repo-event': EVENT }).sourceUrl?.href).toBe(SOURCE);
  });

  it.each([
    ['an identifier', 'urn:uuid:2', {}, undefined],
    ['an event', encode({ target: 'all' }), {}, undefined],
    ['an event without an address', encode({ attachment: { content: { source_uri: '' } } }), {}, undefined],
    [
      'an event that states its type',
      encode({ attachment: { content: { source_mimetype: 'Text/Plain; a=b' } } }),
      {},
      'text/plain',
    ],
    [
      'an event and a Content-Type',
      encode({ target: 'all' }),
      { 'content-type': 'application/pdf' },
      'application/pdf',
    ],
  ])('may have %s instead of a source', (_, event, more, sourceType) => {
    const asked = readGet({ 'x-repo-event': event, 'apix-ldp-resource': '', ...more });
    expect(asked.sourceUrl).toBeUndefined();
    expect(asked.sourceType).toBe(sourceType);
  });

  it('is rejected with an invalid type in its event', () => {
    const event = encode({ attachment: { content: { source_mimetype: 'text/pl@in' } } });
    expect(() => readGet({ 'x-repo-event': event })).toThrow(serviceError('malformed', /MIME type of the source/));
  });

  it('is refused with an empty event and no source', () => {
    expect(() => readGet({ 'x-repo-event': '' })).toThrow(serviceError('malformed', /^The Apix-Ldp-Resource header/));
  });

  it.each([['file:///etc/passwd'], ['http://user:secret@repo.example/']])(
    'is refused with the source %s in its event too',
    (source_uri) => {
      const event = encode({ attachment: { content: { source_uri } } });
      expect(() => readGet({ 'x-repo-event': event })).toThrow(serviceError('malformed', /^The /));
    },
  );
});

describe('a POST', () => {
  it.each([
    ['image/tiff', 'image/tiff'],
    ['IMAGE/TIFF', 'image/tiff'],
    ['text/plain; charset=iso-8859-1', 'text/plain'],
    ['multipart/form-data; boundary=x', 'multipart/form-data'],
  ])('of the Content-Type %s has the source type %s', (value, sourceType) => {
    expect(readPost({ 'content-type': value })).toMatchObject({ sourceType, sourceUri: undefined });
  });

  it.each([[''], ['image'], ['image/*'], ['*'], ['image/png, image/jpeg']])(
    'is refused with the Content-Type %p',
    (value) => {
      expect(() => readPost({ 'content-type': value })).toThrow(
        serviceError('malformed', /^The Content-Type header is not a MIME type\.$/),
      );
    },
  );

  it('reads the origin of the file from a header', () => {
    const headers = { 'content-type': 'image/tiff', 'x-repo-event': EVENT, 'apix-ldp-resource': SOURCE };
    expect(readPost(headers).sourceUri).toBe(SOURCE);
  });

  it('reads the origin of the file from the event', () => {
    expect(readPost({ 'content-type': 'image/tiff', 'x-repo-event': EVENT }).sourceUri).toBe(CONTENT.source_uri);
  });
});

describe('an event', () => {
  it('supplies missing headers', () => {
    expect(readPost({ 'content-type': 'image/tiff', 'x-repo-event': EVENT })).toMatchObject({
      msgId: 'urn:uuid:1',
      args: ['-event', 'two words'],
      destinationType: 'image/png',
      destinationUri: CONTENT.destination_uri,
      fileUploadUri: CONTENT.file_upload_uri,
      target: 'http://repo.example/target',
      canonical: 'http://repo.example/node/1',
    });
  });

  it('yields to the headers', () => {
    const headers = { ...WITH, 'x-repo-event': EVENT, accept: 'image/jpeg', 'x-repo-args': '-header' };
    expect(readGet(headers)).toMatchObject({ args: ['-header'], destinationType: 'image/jpeg' });
    expect(readGet({ ...headers, 'x-repo-args': '' }).args).toEqual([]);
  });

  it('supplies the type if Accept contains only wildcards', () => {
    expect(readGet({ ...WITH, 'x-repo-event': EVENT, accept: '*/*' }).destinationType).toBe('image/png');
  });

  it.each([
    ['arguments that cannot be split', { args: '"open' }, /unbalanced quote/],
    ['an invalid type', { mimetype: 'png' }, /must be a list of MIME types|an invalid MIME type/],
  ])('is refused with %s', (_, content, message) => {
    const event = encode({ attachment: { content } });
    expect(() => readGet({ ...WITH, 'x-repo-event': event })).toThrow(serviceError('malformed', message));
  });

  it.each([
    ['x-islandora-args', { 'x-islandora-args': '-old' }, { args: ['-old'] }],
    ['x-islandora-event', { 'x-islandora-event': 'urn:old' }, { msgId: 'urn:old' }],
    ['the new header names first', { 'x-repo-args': '-new', 'x-islandora-args': '-old' }, { args: ['-new'] }],
  ])('is read, like the arguments, from %s', (_, headers, expected) => {
    expect(readGet({ ...WITH, ...headers })).toMatchObject(expected);
  });
});

it('arguments may be sent as UTF-8', () => {
  expect(readGet({ ...WITH, 'x-repo-args': asLatin1('-title "Grüße 日本"') }).args).toEqual(['-title', 'Grüße 日本']);
});

it.each([
  ['x-repo-args', `'open`, /^The X-Repo-Args header has an unbalanced quote/],
  ['x-repo-args', 'x'.repeat(70_000), /^The X-Repo-Args header is 70000 bytes long/],
  ['accept', 'nonsense', /^The Accept header/],
  ['x-repo-event', encode({ id: 1 }), /^The event in the X-Repo-Event header .* member id/],
])('a GET or POST is refused with an invalid %s', (name, value, message) => {
  expect(() => readGet({ ...WITH, [name]: value })).toThrow(serviceError('malformed', message));
  expect(() => readPost({ 'content-type': 'text/plain', [name]: value })).toThrow(serviceError('malformed', message));
});
