import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { idsOf, readPage, walk } from '../../support/list-walk.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const COUNT = 40;
/** After how many pages of a walk others write. */
const DISTURBED_PAGES = 5;

let repository: TestRepository;
let kept: number[];
let deleted: number[];
let changed: number[];
beforeAll(async () => {
  repository = await createTestRepository();
  const ids: number[] = [];
  for (let made = 0; made < COUNT; made++) {
    const title = `${'bdfhjlnprt'[made % 10]} ${made}`;
    ids.push((await repository.node({ title: [{ value: title }], status: [made % 7 !== 0] })).nid[0].value);
  }
  deleted = ids.filter((_, index) => index % 5 === 1);
  changed = ids.filter((_, index) => index % 5 === 3);
  kept = ids.filter((id) => !deleted.includes(id) && !changed.includes(id));
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Creates, deletes and changes a node, as another client does between two pages. */
async function disturb(number: number): Promise<void> {
  const title = `${'aceikmoqsu'[number % 10]} new ${number}`;
  await repository.node({ title: [{ value: title }] });
  const [gone, other] = [deleted[number % deleted.length], changed[number % changed.length]];
  expect([204, 404]).toContain((await repository.delete(`/node/${gone}`, 'admin')).status);
  const body = { type: 'islandora_object', title: [{ value: `${'zymga'[number % 5]} ${number}` }] };
  expect((await repository.patch(`/node/${other}`, body, 'admin')).status).toBe(200);
}

describe('a walk through the list of nodes while another client writes', () => {
  it.each(['id', '-id', 'changed', '-changed', 'created', '-created', 'title', '-title'])(
    'by %s finds each unchanged node once',
    async (sort) => {
      for (const rel of ['next', 'prev'] as const) {
        const path = `/node?sort=${sort}&size=7`;
        const { links } = await readPage(repository, path, 'admin');
        const pages = await walk(repository, rel === 'next' ? path : (links.last ?? ''), 'admin', rel, (_, number) =>
          number <= DISTURBED_PAGES ? disturb(number) : undefined,
        );
        const found = pages.flatMap(({ entries }) => idsOf(entries));
        const unchanged = found.filter((id) => kept.includes(id));
        expect(unchanged.toSorted((a, b) => a - b)).toEqual(kept);
        if (sort !== 'title' && sort !== '-title' && !sort.endsWith('changed'))
          expect(new Set(found).size).toBe(found.length);
      }
    },
  );

  it('continues when the last node of a page is deleted', async () => {
    const pages = await walk(repository, '/node?size=5', 'admin', 'next', async ({ entries, links }, number) => {
      if (number !== 2) return;
      expect(links.next).toBeDefined();
      const last = entries.at(-1)?.nid[0].value;
      kept = kept.filter((id) => id !== last);
      expect((await repository.delete(`/node/${last}`, 'admin')).status).toBe(204);
    });
    const found = pages.flatMap(({ entries }) => idsOf(entries));
    for (const id of kept) expect(found.filter((each) => each === id)).toEqual([id]);
  });

  it('links from an emptied page to the last remaining entries', async () => {
    const owner = await repository.user('owner', 'workbench_user');
    const own: number[] = [];
    for (let made = 0; made < 4; made++) own.push((await repository.node({}, 'owner')).nid[0].value);
    const [first] = await walk(repository, `/node?owner=${owner}&size=2`, 'owner');
    for (const id of own.slice(2)) expect((await repository.delete(`/node/${id}`, 'admin')).status).toBe(204);
    const [empty] = await walk(repository, first?.links.next as string, 'owner');
    expect(empty?.entries).toEqual([]);
    expect(Object.keys(empty?.links ?? {})).toEqual(['first', 'prev', 'last']);
    const [previous] = await walk(repository, empty?.links.prev as string, 'owner');
    expect(idsOf(previous?.entries ?? [])).toEqual(own.slice(0, 2));
  });
});
