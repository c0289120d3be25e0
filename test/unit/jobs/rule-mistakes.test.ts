import { describe, expect, it } from 'bun:test';
import { problemsOf } from './parse-user-rules.ts';

const OCR = 'get_ocr_from_image';
const ON_ACTION = `actions.${OCR}`;
const TOKENS = '[date:custom:Y], [date:custom:m], [date:custom:d], [islandoratokens:media-original-file:filename]';
const PATH_RULE = 'must be a path below the scheme, without a slash at either end, ".." or "\\", found';
const URL_RULE = 'an http or https URL without user name and password, such as http://processor:8080/';

/** A file that changes one member of an action, in its third line. */
const action = (member: string) => `actions:\n  ${OCR}:\n    ${member}\n`;

describe('an error in an action', () => {
  it.each([
    ['mime_type: text/plain', `unknown key ${ON_ACTION}.mime_type; did you mean mimetype?`],
    ['label: 5', `${ON_ACTION}.label must be text for people to read, found 5`],
    ['label: null', `${ON_ACTION}.label is missing; it is text for people to read`],
    [
      'source_term: Original File',
      `${ON_ACTION}.source_term must be a URI, such as http://pcdm.org/use#OriginalFile, found "Original File"`,
    ],
    [
      'derivative_term: "http://a b"',
      `${ON_ACTION}.derivative_term must be a URI, such as http://pcdm.org/use#OriginalFile, found "http://a b"`,
    ],
    [
      'source_mimetypes: image/png',
      `${ON_ACTION}.source_mimetypes must be a list of MIME types, families such as image/*, or "*", found "image/png"`,
    ],
    [
      'source_mimetypes: []',
      `${ON_ACTION}.source_mimetypes must be a list of MIME types, families such as image/*, or "*", found an empty list`,
    ],
    [
      'source_mimetypes: [image/png, png]',
      `${ON_ACTION}.source_mimetypes.1 must be a MIME type, a family such as image/*, or "*", found "png"`,
    ],
    [
      'source_mimetypes: ["*/*"]',
      `${ON_ACTION}.source_mimetypes.0 must be a MIME type, a family such as image/*, or "*", found "*/*"; write "*" for any type`,
    ],
    ['mimetype: text', `${ON_ACTION}.mimetype must be a MIME type, found "text"`],
    ['mimetype: text/*', `${ON_ACTION}.mimetype must be a MIME type, found "text/*"`],
    [
      'mimetype: text/plain; charset=utf-8',
      `${ON_ACTION}.mimetype must be a MIME type, found "text/plain; charset=utf-8"`,
    ],
    [`args: "-a 'b"`, `${ON_ACTION}.args has an unbalanced quote or ends in a backslash`],
    ['args: a\\', `${ON_ACTION}.args has an unbalanced quote or ends in a backslash`],
    ['args: "a\\nb"', `${ON_ACTION}.args must be options in one line, found "a\nb"`],
    [
      'destination_media_type: extracted_texts',
      `${ON_ACTION}.destination_media_type: there is no media type "extracted_texts"; did you mean extracted_text?`,
    ],
    [
      'destination_media_type: remote_video',
      `${ON_ACTION}.destination_media_type cannot be remote_video, whose source is no file`,
    ],
    ['scheme: privat', `${ON_ACTION}.scheme: there is no scheme "privat"; did you mean private?`],
    ['scheme: s3', `${ON_ACTION}.scheme: there is no scheme "s3"; there are: public, private, fedora`],
    ['path: "[term:nam].txt"', `${ON_ACTION}.path has the unknown token [term:nam]; did you mean [term:name]?`],
    [
      'path: "[date:custom:Y-m-d]/a.txt"',
      `${ON_ACTION}.path has the unknown token [date:custom:Y-m-d]; did you mean [date:custom:Y]?`,
    ],
    ['path: "[x].txt"', `${ON_ACTION}.path has the unknown token [x]; there are: ${TOKENS}, [term:name], [node:nid]`],
    ['path: "a/[node:nid.txt"', `${ON_ACTION}.path has the unknown token [node:nid.txt; did you mean [node:nid]?`],
    ['path: ../a.txt', `${ON_ACTION}.path ${PATH_RULE} "../a.txt"`],
    ['path: a/../b.txt', `${ON_ACTION}.path ${PATH_RULE} "a/../b.txt"`],
    ['path: /a.txt', `${ON_ACTION}.path ${PATH_RULE} "/a.txt"`],
    ['path: a//b.txt', `${ON_ACTION}.path ${PATH_RULE} "a//b.txt"`],
    ['path: a/', `${ON_ACTION}.path ${PATH_RULE} "a/"`],
    ['path: "a\\tb.txt"', `${ON_ACTION}.path ${PATH_RULE} "a\\tb.txt"`],
    ['path: a\\b.txt', `${ON_ACTION}.path ${PATH_RULE} "a\\\\b.txt"`],
    [
      'path: a.jpg',
      `${ON_ACTION}.path must have an extension that extracted_text allows (txt, doc, docx, pdf), found .jpg`,
    ],
    [
      'path: "txt/[term:name]"',
      `${ON_ACTION}.path must have an extension that extracted_text allows (txt, doc, docx, pdf), found none`,
    ],
    [
      'path: "a/.txt"',
      `${ON_ACTION}.path must have an extension that extracted_text allows (txt, doc, docx, pdf), found none`,
    ],
    ['processor: ftp://a/', `${ON_ACTION}.processor must be embedded, or ${URL_RULE}, found "ftp://a/"`],
    ['processor: embeded', `${ON_ACTION}.processor must be embedded, or ${URL_RULE}, found "embeded"`],
    ['processor: http://me:secret@a/', `${ON_ACTION}.processor must be embedded, or ${URL_RULE}`],
    ['processor: [http://a/, embedded]', `${ON_ACTION}.processor.1 must be ${URL_RULE}, found "embedded"`],
    ['processor: []', `${ON_ACTION}.processor must be embedded, a URL or a list of URLs, found an empty list`],
    ['timeout: 0', `${ON_ACTION}.timeout must be a number of seconds, more than 0 and at most 86400, found 0`],
    ['of_members: true', `${ON_ACTION}.of_members must be a map with at least parent_has_term, found true`],
    ['of_members: { settle: 5 }', `${ON_ACTION}.of_members.parent_has_term is missing; it is a list of URIs`],
    [
      'of_members: { parent_has_term: [Book] }',
      `${ON_ACTION}.of_members.parent_has_term.0 must be a URI, such as http://pcdm.org/use#OriginalFile, found "Book"`,
    ],
    [
      'of_members: { parent_has_term: ["urn:a"], settel: 5 }',
      `unknown key ${ON_ACTION}.of_members.settel; did you mean settle?`,
    ],
  ])('is reported with its line: %s', (member, message) => {
    expect(problemsOf(action(member))).toEqual([`my.yaml:3: ${message}`]);
  });

  it('is reported with all other errors in the destination', () => {
    const members = ['destination_media_type: extracted_texts', 'scheme: privat', 'path: ../a.txt'];
    expect(problemsOf(action(members.join('\n    ')))).toEqual([
      `my.yaml:3: ${ON_ACTION}.destination_media_type: there is no media type "extracted_texts"; did you mean extracted_text?`,
      `my.yaml:4: ${ON_ACTION}.scheme: there is no scheme "privat"; did you mean private?`,
      `my.yaml:5: ${ON_ACTION}.path ${PATH_RULE} "../a.txt"`,
    ]);
  });

  it('is reported for a path that is too long for the URI of a file', () => {
    expect(problemsOf(action(`path: ${'a'.repeat(125)}.txt`))[0]).toStartWith(
      `my.yaml:3: ${ON_ACTION}.path must be a path below the scheme, with an extension and at most 128 characters`,
    );
  });

  it('is reported for each missing member of a new action', () => {
    expect(problemsOf('actions:\n  a: { label: A }\n')).toEqual([
      'my.yaml:2: actions.a.source_term is missing; it is a URI, such as http://pcdm.org/use#OriginalFile',
      'my.yaml:2: actions.a.derivative_term is missing; it is a URI, such as http://pcdm.org/use#OriginalFile',
      'my.yaml:2: actions.a.source_mimetypes is missing; it is a list of MIME types, families such as image/*, or "*"',
      'my.yaml:2: actions.a.mimetype is missing; it is a MIME type',
      'my.yaml:2: actions.a.destination_media_type is missing; it is the name of a media type',
      'my.yaml:2: actions.a.path is missing; it is a path below the scheme, with an extension and at most 128 characters',
    ]);
  });

  it('is reported with the most similar action for a misspelt name', () => {
    expect(problemsOf('actions:\n  get_ocr_from_imag: { args: -l deu }\n').at(-1)).toBe(
      'my.yaml:2: actions.get_ocr_from_imag is not in the default rules; did you mean get_ocr_from_image?',
    );
  });

  it('is reported for a source file name in a derivative of members', () => {
    const token = '[islandoratokens:media-original-file:filename]';
    expect(problemsOf(`actions:\n  paged_content_created_aggregated_pdf:\n    path: "${token}.pdf"\n`)).toEqual([
      `my.yaml:3: actions.paged_content_created_aggregated_pdf.path cannot have ${token}: a derivative of all members has no single source file`,
    ]);
  });

  it.each(['[node:nid].pdf', '[date:custom:Y]/[node:nid].pdf', 'book[node:nid]/a.pdf'])(
    'is reported for generated originals without their own folder: %s',
    (path) => {
      expect(problemsOf(`actions:\n  paged_content_created_aggregated_pdf:\n    path: "${path}"\n`)).toEqual([
        'my.yaml:3: actions.paged_content_created_aggregated_pdf.path must begin with a folder of its own, such as "derivatives/", since derivative_term is also source_term',
      ]);
    },
  );

  it('is reported for an invalid machine name', () => {
    const [problem] = problemsOf(`actions:\n  ${'a'.repeat(65)}: {}\n`);
    expect(problem).toBe(
      `my.yaml:2: actions.${'a'.repeat(65)}: a machine name is at most 64 lower-case letters, digits and _, and begins with a letter`,
    );
  });
});
