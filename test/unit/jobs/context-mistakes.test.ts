import { describe, expect, it } from 'bun:test';
import { problemsOf } from './parse-user-rules.ts';

const OCR = 'get_ocr_from_image';
const CONDITION_NAMES = 'media_has_term, parent_node_has_term, media_has_type, media_has_mimetype';

/** A file with a context of one condition, which stands in the fifth line. */
const context = (condition: string) =>
  `contexts:\n  mine:\n    label: Mine\n    conditions:\n      - ${condition}\n    actions: [${OCR}]\n`;

describe('an error in a condition', () => {
  const at = 'contexts.mine.conditions.0';

  it.each([
    ['media_has_term', `${at} must be a map with condition: ${CONDITION_NAMES}, found "media_has_term"`],
    ['{ uri: "urn:a" }', `${at}.condition is missing; it is the name of a condition`],
    [
      '{ condition: media_has_trem, uri: "urn:a" }',
      `${at}.condition: there is no condition "media_has_trem"; did you mean media_has_term?`,
    ],
    [
      '{ condition: node_is_published }',
      `${at}.condition: there is no condition "node_is_published"; there are: ${CONDITION_NAMES}`,
    ],
    ['{ condition: media_has_term }', `${at}.uri is missing; it is a URI or a list of URIs`],
    [
      '{ condition: media_has_term, uri: "" }',
      `${at}.uri.0 must be a URI, such as http://pcdm.org/use#OriginalFile, found ""`,
    ],
    [
      '{ condition: media_has_term, uri: ["urn:a", Original File] }',
      `${at}.uri.1 must be a URI, such as http://pcdm.org/use#OriginalFile, found "Original File"`,
    ],
    ['{ condition: media_has_term, uri: [] }', `${at}.uri must be a URI or a list of URIs, found an empty list`],
    ['{ condition: media_has_term, uri: "urn:a", logic: xor }', `${at}.logic must be "and" or "or", found "xor"`],
    ['{ condition: media_has_term, types: image }', `unknown key ${at}.types; known here: condition, uri, logic`],
    [
      '{ condition: media_has_type, types: [image, vidoe] }',
      `${at}.types.1: there is no media type "vidoe"; did you mean video?`,
    ],
    [
      '{ condition: media_has_mimetype, mimetypes: png }',
      `${at}.mimetypes must be a MIME type, a family such as image/*, or "*", found "png"`,
    ],
  ])('is reported with its line: %s', (condition, message) => {
    expect(problemsOf(context(condition))).toContain(`my.yaml:5: ${message}`);
  });
});

describe('an error in a context', () => {
  it('is reported for an unknown action', () => {
    expect(problemsOf('contexts:\n  pages:\n    actions:\n      - get_ocr_from_images\n')).toEqual([
      `my.yaml:4: contexts.pages.actions.0: there is no action "get_ocr_from_images"; did you mean ${OCR}?`,
    ]);
  });

  it('is reported with the most similar context for a misspelt name', () => {
    expect(problemsOf('contexts:\n  page:\n    enabled: false\n').at(-1)).toBe(
      'my.yaml:2: contexts.page is not in the default rules; did you mean pages?',
    );
  });

  it('is reported for an empty list of conditions', () => {
    expect(problemsOf('contexts:\n  pages:\n    conditions: []\n')).toEqual([
      'my.yaml:3: contexts.pages.conditions must be a list of at least one condition, found an empty list',
    ]);
  });

  it('is reported for an empty list of actions', () => {
    expect(problemsOf('contexts:\n  pages:\n    actions: []\n')).toEqual([
      'my.yaml:3: contexts.pages.actions must be a list of the names of actions, found an empty list',
    ]);
  });

  it('is reported for an unknown key and a wrong type', () => {
    expect(problemsOf('contexts:\n  pages:\n    enable: true\n    require_all: 1\n')).toEqual([
      'my.yaml:3: unknown key contexts.pages.enable; did you mean enabled?',
      'my.yaml:4: contexts.pages.require_all must be true or false, found 1',
    ]);
  });

  it('is reported at a removed action that contexts still name', () => {
    expect(problemsOf(`contexts:\n  pages: { enabled: false }\nactions:\n  ${OCR}: null\n`)).toEqual([
      `my.yaml:4: actions.${OCR} cannot be removed: contexts.pages.actions.1 refers to it`,
      `my.yaml:4: actions.${OCR} cannot be removed: contexts.pdf_original_file.actions.1 refers to it`,
    ]);
  });

  it('is reported for an action whose media type is missing in the content model', () => {
    const text = 'contexts:\n  pages:\n    actions: [generate_a_technical_metadata_derivative]\n';
    const problems = problemsOf(text, 'media_types: { fits_technical_metadata: null }');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(
      'my.yaml:3: contexts.pages.actions.0: there is no action "generate_a_technical_metadata_derivative"; there are:',
    );
  });

  it('is reported for the removal of an unknown context', () => {
    expect(problemsOf('contexts:\n  page: null\n')).toEqual([
      'my.yaml:2: contexts.page: there is nothing to remove; did you mean pages?',
    ]);
  });

  it('is reported once for an invalid action, but not for contexts that name it', () => {
    expect(
      problemsOf(`contexts:\n  pages:\n    actions: [${OCR}]\nactions:\n  ${OCR}:\n    timeout: x\n`),
    ).toHaveLength(1);
  });
});

describe('a file of derivative rules', () => {
  it('is rejected with all of its errors, in the order of their lines', () => {
    expect(problemsOf('action: {}\nactions:\n  a: 5\ncontexts: [pages]\n')).toEqual([
      'my.yaml:1: unknown key action; did you mean actions?',
      'my.yaml:3: actions.a must be an action: a map of settings, found 5',
      'my.yaml:4: contexts must be a map of contexts, found a list',
    ]);
  });

  it('is rejected if it is not a map', () => {
    expect(problemsOf('- pages\n')).toContain('my.yaml:1: the file must be a map of keys');
  });
});
