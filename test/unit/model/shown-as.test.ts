import { describe, expect, it } from 'bun:test';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const withPlace = (place: string) => `node_types: { page: { fields: { body: { shown_as: ${place} } } } }`;

describe('the place of a field', () => {
  it('is among the rows unless the model sets another', () => {
    const fields = parseUserModel('{}').nodeTypes.get('islandora_object')?.fieldNamed;
    const places = ['field_extent', 'field_abstract', 'field_weight'].map((name) => fields?.get(name)?.shownAs);
    expect(places).toEqual(['row', 'description', 'none']);
  });

  it('can be changed by the model of a site', () => {
    const { nodeTypes } = parseUserModel(withPlace('none'));
    expect(nodeTypes.get('page')?.fieldNamed.get('body')?.shownAs).toBe('none');
  });

  it('must be known', () => {
    expect(problemsOf(withPlace('table'))).toEqual([
      'my.yaml:1: node_types.page.fields.body.shown_as must be one of row, description, none, found "table"',
    ]);
  });
});
