import { expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';

const read = (text: string) => configFrom(parseYamlText('repository.yaml', text, () => undefined)).bags;

it('the settings of bags are read from the configuration', () => {
  expect(read('bags: { sourceOrganization: University Library, contactEmail: library@example.org }')).toMatchObject({
    sourceOrganization: 'University Library',
    contactEmail: 'library@example.org',
    contactName: undefined,
  });
});

it.each([
  ['sourceOrganization', '"two\\nlines"'],
  ['contactName', '""'],
  ['organizationAddress', `"${'x'.repeat(251)}"`],
  ['externalDescription', '[a list]'],
])('the setting bags.%s must be one line of at most 250 characters', (name, value) => {
  expect(() => read(`bags: { ${name}: ${value} }`)).toThrow(
    `bags.${name} must be text of at most 250 characters in one line`,
  );
});
