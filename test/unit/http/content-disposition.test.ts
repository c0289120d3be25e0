import { describe, expect, it } from 'bun:test';
import { fileHeaders, isActiveContent } from '../../../src/http/active-content.ts';
import { contentDisposition, parseUploadName } from '../../../src/http/content-disposition.ts';
import { serviceError } from '../../support/service-error.ts';

/** A header value as it arrives: bytes of UTF-8 read as Latin-1. */
const sent = (text: string) => Buffer.from(text).toString('latin1');

describe('parseUploadName', () => {
  it.each([
    ['a name', 'file; filename="a.jpg"', 'a.jpg'],
    ['a name alone', 'filename="a.jpg"', 'a.jpg'],
    ['any case', 'FILE; FileName="a.jpg"', 'a.jpg'],
    ['spaces around', 'attachment ;  filename = "a b.jpg" ; size=3', 'a b.jpg'],
    ['a semicolon inside', 'attachment; filename="a;b=c.jpg"', 'a;b=c.jpg'],
    ['a quote inside', String.raw`attachment; filename="a\"b.jpg"`, 'a"b.jpg'],
    ['an unescaped quote', 'file; filename="a "b" c.jpg"', 'a "b" c.jpg'],
    ['a quote before the last', 'file; filename="a"b".jpg" ; size=3', 'a"b".jpg'],
    ['a quote before the end of a name', 'file; filename="a"; b.jpg"', 'a'],
    ['a quote that is encoded too', `file; filename="u"x.jpg"; filename*=utf-8''%C3%BC%22x.jpg`, 'ü"x.jpg'],
    ['a quote and no end', 'file; filename="a.jpg"b', 'a.jpg'],
    ['a folder', 'file; filename="bk1/p-002.jpg"', 'p-002.jpg'],
    ['an absolute path', 'file; filename="/data/in/p-002.jpg"', 'p-002.jpg'],
    ['a Windows path', String.raw`file; filename="C:\scans\new\p-002.jpg"`, 'p-002.jpg'],
    ['a way up', 'file; filename="../../etc/passwd"', 'passwd'],
    ['UTF-8', sent('file; filename="Änderung €.jpg"'), 'Änderung €.jpg'],
    ['the extended name first', `file; filename="Anderung.jpg"; filename*=UTF-8''%C3%84nderung.jpg`, 'Änderung.jpg'],
    ['in any order', `file; filename*=utf-8''%C3%84.jpg; filename="A.jpg"`, 'Ä.jpg'],
    ['the extended name alone', `file; filename*=UTF-8'de'%C3%84.jpg`, 'Ä.jpg'],
    ['a form-quoted name', `file; filename="a b.jpg"; filename*=utf-8''bk1%2Fa+b%2B.jpg`, 'a b+.jpg'],
    ['a Windows path, encoded', `file; filename*=UTF-8''C%3A%5Cx.jpg`, 'x.jpg'],
    ['bad UTF-8', `file; filename="a.jpg"; filename*=UTF-8''%E4.jpg`, 'a.jpg'],
    ['another character set', `file; filename="a.jpg"; filename*=iso-8859-1''%E4.jpg`, 'a.jpg'],
    ['a broken escape', `file; filename="a.jpg"; filename*=UTF-8''%4.jpg`, 'a.jpg'],
    ['a quoted extended name beside', `file; filename="a.jpg"; filename*="UTF-8''b.jpg"`, 'a.jpg'],
    ['two names', 'file; filename="a.jpg"; filename="b.jpg"', 'a.jpg'],
    ['something that ends like it', 'file; xfilename="x.jpg"; filename="a.jpg"', 'a.jpg'],
    ['a name within another value', 'file; name="; filename=x"; filename="a.jpg"', 'a.jpg'],
  ])('reads %s', (_, header, expected) => {
    expect(parseUploadName(header)).toBe(expected);
  });

  const required =
    /^"Content-Disposition" header is required\. A file name in the format "filename=FILENAME" must be provided\.$/;
  const notFound =
    /^No filename found in "Content-Disposition" header\. A file name in the format "filename=FILENAME" must be provided\.$/;
  const unsupported =
    /^The extended "filename\*" format is currently not supported in the "Content-Disposition" header\.$/;
  it.each([
    ['no header', null, required],
    ['an empty header', '', notFound],
    ['no name', 'attachment', notFound],
    ['a name without quotes', 'attachment; filename=a.jpg', notFound],
    ['a name without an equals sign', 'attachment; filename"a.jpg"', notFound],
    ['an empty name', 'attachment; filename=""', notFound],
    ['an open quote', 'attachment; filename="a.jpg', notFound],
    ['a folder only', 'attachment; filename="a/b/"', notFound],
    ['a dot', 'attachment; filename="."', notFound],
    ['two dots', String.raw`attachment; filename="a\.."`, notFound],
    ['an ill-formed extended name', `attachment; filename*=UTF-8''%E4.jpg`, notFound],
    ['a quoted extended name', 'attachment; filename*="a.jpg"', unsupported],
    ['NUL', `attachment; filename*=UTF-8''a%00.jpg`, /control characters/],
    ['a line break', `attachment; filename*=UTF-8''a%0D%0A.jpg`, /control characters/],
  ])('refuses %s', (_, header, message) => {
    expect(() => parseUploadName(header)).toThrow(serviceError('malformed', message));
  });

  it.each(['a="', ';'.repeat(10), ' ', String.raw`a="\";`, "filename*=UTF-8''%", 'filename="\u0001"x'])(
    'takes linear time for a hostile header: %s',
    (piece) => {
      expect(() => parseUploadName(piece.repeat(500_000))).toThrow(serviceError('malformed', /./));
    },
  );
});

describe('contentDisposition', () => {
  it.each([
    ['plain', 'a.jpg', 'inline; filename=a.jpg'],
    ['spaces', 'a b.jpg', 'inline; filename="a b.jpg"'],
    ['quotes', 'a".jpg', String.raw`inline; filename="a\".jpg"`],
    ['a folder', '../x/a.jpg', 'inline; filename=a.jpg'],
    ['more than ASCII', 'Ä €.jpg', `inline; filename="? ?.jpg"; filename*=UTF-8''%C3%84%20%E2%82%AC.jpg`],
    ['a percent sign that looks encoded', 'a%20b', `inline; filename=a%20b; filename*=UTF-8''a%2520b`],
    ['a header of its own', 'a\r\nSet-Cookie: x', 'inline; filename="aSet-Cookie: x"'],
    ['a disguised extension', 'a\u202egpj.exe', 'inline; filename=agpj.exe'],
    ['half a character', 'a\ud800.jpg', `inline; filename="a?.jpg"; filename*=UTF-8''a%EF%BF%BD.jpg`],
    ['nothing', '', 'inline'],
    ['controls only', '\0\n', 'inline'],
  ])('encodes %s', (_, name, expected) => {
    const value = contentDisposition('inline', name);
    expect(value).toBe(expected);
    expect(new Headers({ 'Content-Disposition': value }).get('Content-Disposition')).toBe(value);
  });
});

describe('fileHeaders', () => {
  it.each([
    ...['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/xml', 'application/tei+xml'],
    ...['text/javascript', 'application/javascript', 'text/vnd.hocr+html', 'TEXT/HTML; charset=utf-8', 'text/xsl'],
  ])('sandboxes %s', (type) => {
    const headers = fileHeaders(type, 'a.x');
    expect(headers['Content-Disposition']).toStartWith('attachment');
    expect(headers['Content-Security-Policy']).toStartWith("sandbox; default-src 'none'");
    expect(headers['X-Content-Type-Options']).toBe('nosniff');
  });

  it.each(['image/jpeg', 'application/pdf', 'text/plain', 'video/mp4', 'audio/mpeg', 'text/vtt', 'application/json'])(
    'shows %s inline',
    (type) => {
      expect(isActiveContent(type)).toBe(false);
      expect(fileHeaders(type, 'a.x')).toEqual({
        'Content-Type': type,
        'Content-Disposition': 'inline; filename=a.x',
        'X-Content-Type-Options': 'nosniff',
      });
      expect(fileHeaders(type, 'a.x', 'attachment')['Content-Disposition']).toBe('attachment; filename=a.x');
    },
  );

  it.each(['', 'html', 'text/html\r\nX: y', 'image/png,text/html', 'a/b/c', '*/*'])(
    'replaces the invalid MIME type %p with application/octet-stream',
    (type) => {
      const headers = fileHeaders(type, 'a.x');
      expect(headers['Content-Type']).toBe('application/octet-stream');
      expect(headers['Content-Disposition']).toBe('attachment; filename=a.x');
    },
  );
});
