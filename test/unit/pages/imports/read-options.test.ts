import { describe, expect, it } from 'bun:test';
import { readOptions } from '../../../../src/pages/imports/read-options.ts';

const optionsWith = (delimiter: string) => readOptions({ delimiter } as unknown as Parameters<typeof readOptions>[0]);

describe('the delimiter of a form', () => {
  it.each([
    [',', ','],
    [';', ';'],
    ['tab', '\t'],
  ])('%j is %j', (chosen, delimiter) => {
    expect(optionsWith(chosen)).toMatchObject({ options: { delimiter }, errors: [] });
  });

  it.each(['x', '__proto__', 'constructor', 'toString'])('rejects %j', (chosen) => {
    expect(optionsWith(chosen)).toMatchObject({
      options: { delimiter: ',' },
      errors: [{ field: 'delimiter', message: 'Choose one of the characters between cells.' }],
    });
  });
});
