import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import type { As } from '../../support/test-repository.ts';

const ABOUT = 'https://schema.org/AboutPage';
const AUTHORITY = 'https://viaf.org/viaf/1';
/** A vocabulary whose terms belong to other terms, and have authors. */
const MODEL = `
signposting:
  taxonomy_term.person:
    type: ["${ABOUT}"]
    author: [{ field: field_relationships, relations: ["schema:parent"] }]
    collection: [field_relationships]
`;
const FORMATS = ['json', 'jsonld', 'html'];

let site: LinkedSite;
let known: number;
let unknown: number;
let hidden: number;
let person: number;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
  known = await site.term('person', 'Known', { field_authority_link: [{ uri: AUTHORITY, source: 'viaf' }] });
  unknown = await site.term('person', 'Unknown');
  hidden = await site.term('person', 'Hidden', { status: [false] });
  const relationships = [known, unknown, hidden].map((target_id) => ({ target_id, rel_type: 'schema:knows' }));
  person = await site.term('person', 'Someone', {
    field_relationships: [...relationships, { target_id: unknown, rel_type: 'schema:parent' }],
  });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

/** The links of a term by which rules lead somewhere, the same in every form. */
async function signpostsOf(id: number, as?: As): Promise<string[]> {
  const [first = [], ...others] = await Promise.all(
    FORMATS.map(async (format) =>
      (await site.lines(`/taxonomy/term/${id}?_format=${format}`, as)).filter((line) =>
        /^(?:cite-as|author|type|license|item|collection) /.test(line),
      ),
    ),
  );
  for (const other of others) expect(other).toEqual(first);
  return first;
}

describe('the signposts of a term', () => {
  it('lead to references that the caller may view, in every format', async () => {
    const seen = (...more: string[]) => [
      `author /taxonomy/term/${unknown}`,
      `type ${ABOUT}`,
      `collection ${AUTHORITY}`,
      `collection /taxonomy/term/${unknown}`,
      ...more,
    ];
    for (const as of [undefined, 'reader'])
      expect({ as, signposts: await signpostsOf(person, as) }).toEqual({ as, signposts: seen() });
    expect(await signpostsOf(person, 'loader')).toEqual(seen(`collection /taxonomy/term/${hidden}`));
  });

  it('reflect each change of their targets', async () => {
    const friend = await site.term('person', 'A friend');
    const id = await site.term('person', 'Another', {
      field_relationships: [{ target_id: friend, rel_type: 'schema:knows' }],
    });
    const other = [`type ${ABOUT}`];
    expect(await signpostsOf(id)).toEqual([...other, `collection /taxonomy/term/${friend}`]);
    const link = { uri: 'https://viaf.org/viaf/2', source: 'viaf' };
    await site.changeTerm(friend, 'person', { field_authority_link: [link] });
    expect(await signpostsOf(id)).toEqual([...other, 'collection https://viaf.org/viaf/2']);
    await site.changeTerm(friend, 'person', { status: [false] });
    expect(await signpostsOf(id)).toEqual(other);
    await site.remove(`/taxonomy/term/${friend}`);
    expect(await signpostsOf(id, 'admin')).toEqual(other);
  });

  it('do not exist if the vocabulary has no rules', async () => {
    const relation = { field_relationships: [{ target_id: known, rel_type: 'schema:member' }] };
    expect(await signpostsOf(await site.term('family', 'A family', relation), 'admin')).toEqual([]);
  });
});
