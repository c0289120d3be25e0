import { beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/yaml-file.ts';
import type { RepositoryConfig } from '../../../src/config/server-config.ts';
import { loadModel } from '../../../src/server/load-model.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
});

/** The problems of a field with these settings, in the second line of a file. */
async function problemsOf(settings: string): Promise<string[]> {
  const modelFile = join(folder, 'my.yaml');
  await writeFile(modelFile, `node_types:\n  book: { label: Book, fields: { field_x: { label: X, ${settings} } } }\n`);
  const schemes = ['public', 'private', 'fedora'].map((name) => ({ name }));
  try {
    await loadModel({ modelFile, schemes } as unknown as RepositoryConfig);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => problem.replace(modelFile, 'my.yaml'));
  }
}
const AT = 'my.yaml:2: node_types.book.fields.field_x';

describe('a field of a custom model', () => {
  const defaults: [type: string, item: string, problem: string][] = [
    ['edtf', '{ value: soon }', ' cannot be kept: soon is not valid EDTF'],
    ['integer', '{ value: 99999999999 }', ' cannot be kept: X: the value may be no greater than 2147483647.'],
    ['timestamp', '{ value: today }', ' cannot be kept: The specified date "today" is not in an accepted format'],
    ['email', '{ value: nobody }', ' cannot be kept: This value is not a valid email address.'],
    ['uri', '{ value: a b }', ' cannot be kept: This value should be of the correct primitive type.'],
    ['link', '{ uri: "javascript:alert(1)" }', " cannot be kept: The path 'javascript:alert(1)' is invalid."],
    ['text_long', '{ value: x, format: word }', ' cannot be kept: The value you selected is not a valid choice.'],
    ['string', '{ value: "a\\0b" }', ' cannot be kept: The character U+0000 cannot be stored. Remove it.'],
    ['geolocation', '{ lat: 1 }', ' cannot be kept: An empty item is no default.'],
    ['related_item', '{ author: x }', ' cannot be kept: An empty item is no default.'],
    ['language', '{ value: tlh }', '.value must be one of en, '],
    [
      'config_reference, target_type: node_type',
      '{ target_id: scroll }',
      '.target_id must be one of islandora_object, article, page, book, found "scroll"',
    ],
  ];
  it.each(defaults)('of type %s rejects the default %s', async (type, item, problem) => {
    const [first, ...others] = await problemsOf(`type: ${type}, default_value: [${item}]`);
    expect(first).toStartWith(`${AT}.default_value.0${problem}`);
    expect(others).toEqual([]);
  });

  it.each([
    ['edtf', '{ value: 1984? }'],
    ['timestamp', "{ value: '2019-03-14T21:05:24+02:00' }"],
    ['text_long', '{ value: x, format: basic_html }'],
    ['language', '{ value: en }'],
    ['config_reference, target_type: user_role', '{ target_id: administrator }'],
    ['entity_reference, target_type: taxonomy_term', '{ target_id: 999999 }'],
    ['geolocation', '{ lat: 1, lng: 2 }'],
  ])('of type %s accepts the default %s', async (type, item) => {
    expect(await problemsOf(`type: ${type}, default_value: [${item}]`)).toEqual([]);
  });

  it('rejects an unknown scheme for its files', async () => {
    expect(await problemsOf('type: file, file_extensions: [txt], uri_scheme: fedoar')).toEqual([
      `${AT}.uri_scheme: there is no scheme "fedoar"; did you mean fedora?`,
    ]);
    expect(await problemsOf('type: file, file_extensions: [txt], uri_scheme: fedora')).toEqual([]);
  });
});
