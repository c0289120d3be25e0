import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createEngine } from '../../src/search/engine/create-engine.ts';
import type { SearchQuery, SearchResult, SearchRunner, Viewer } from '../../src/search/search-types.ts';
import { failure } from '../support/rejection.ts';
import { BOYLE, NODES, SHIPS, searchContent } from '../support/search-content.ts';
import { ANONYMOUS, AUTHOR, asBook, deleted, EDITOR, type NodeRow, nodeRow, SETUP } from '../support/search-rows.ts';

/** A place for databases of one kind. */
interface SearchSite {
  /** Opens one and the same database, each time as another process would. */
  open(): Promise<Database>;
  end(): Promise<void>;
}

/** The tests of searches on every kind of database. */
export function describeSearch(kind: string, start: () => Promise<SearchSite>): void {
  describe(`a search on ${kind}`, () => {
    let site: SearchSite;
    let database: Database;
    let engine: SearchRunner;

    const find = (query: Partial<SearchQuery>, viewer: Viewer = ANONYMOUS) =>
      engine.search(viewer, { text: '', ...query });
    const nids = ({ items }: SearchResult) => items.map(({ nid }) => nid);
    const counts = ({ facets }: SearchResult, name: string) =>
      Object.fromEntries(
        facets.find((facet) => facet.name === name)?.values.map(({ label, count }) => [label, count]) ?? [],
      );

    beforeAll(async () => {
      site = await start();
      database = await site.open();
      await migrate(database.client, 1);
      await database.write(searchContent());
      engine = createEngine(await site.open(), SETUP);
    });
    afterAll(async () => {
      await site.end();
    });

    it('ranks matches in the title above matches in the text', async () => {
      const result = await find({ text: 'harbour' });
      expect(result.total).toBe(4);
      expect(new Set(nids(result).slice(0, 2))).toEqual(new Set([1, 4]));
      expect(nids(result).at(-1)).toBe(7);
      expect(result.sort).toBe('relevance');
    });

    it('includes only content that the caller may view in hits, totals and counts', async () => {
      expect((await find({})).total).toBe(6);
      expect((await find({}, AUTHOR)).total).toBe(7);
      expect((await find({}, EDITOR)).total).toBe(8);
      expect((await find({ text: 'secret' })).total).toBe(0);
      expect(nids(await find({ text: 'secret' }, AUTHOR))).toEqual([6]);
      expect((await find({ text: 'secret' }, { ...AUTHOR, id: 8 })).total).toBe(0);
      expect((await find({ text: 'delegation' }, { ...ANONYMOUS, viewsMedia: false })).total).toBe(0);
    });

    it('counts a collection with all of its descendants, without hidden names', async () => {
      const anonymous = await find({});
      expect(counts(anonymous, 'collection')).toEqual({ 'Harbour Commission': 5, 'Boyle photographs': 2 });
      expect(counts(anonymous, 'subject')).toEqual({ Ships: 2 });
      expect(counts(anonymous, 'agent')).toEqual({ 'Boyle, Margaret (Photographer)': 1 });
      expect(counts(anonymous, 'full_text')).toEqual({ 'Has full text': 1 });
      expect(anonymous.decades).toEqual([1900, 1910, 1920].map((decade) => ({ decade, count: 1 })));
      const editor = await find({}, EDITOR);
      expect(counts(editor, 'collection')).toEqual({
        'Harbour Commission': 7,
        'Boyle photographs': 2,
        'Closed papers': 2,
      });
      expect(counts(editor, 'subject')).toEqual({ Ships: 3, 'Shipwrecks nobody knows': 1 });
    });

    it('narrows by filters and years', async () => {
      expect(nids(await find({ filters: { collection: ['2'] } })).sort()).toEqual([4, 5]);
      expect((await find({ filters: { collection: ['1'] } })).total).toBe(5);
      expect(nids(await find({ filters: { collection: ['1'], decade: ['1920'] } }))).toEqual([5]);
      expect(nids(await find({ filters: { agent: [`relators:pht|${BOYLE}`] } }))).toEqual([4]);
      expect(nids(await find({ text: 'harbour 1909..1925' }))).toEqual([4]);
      expect(nids(await find({ from: 1911, to: 1950 }))).toEqual([5]);
      const narrowed = await find({ filters: { subject: [String(SHIPS)] }, text: 'ferry' });
      expect(counts(narrowed, 'model')).toEqual({ Photograph: 1 });
    });

    it('ignores unknown filters and reports them', async () => {
      const { total, ignored } = await find({ filters: { colour: ['red'], subject: [String(SHIPS)] } });
      expect({ total, ignored }).toEqual({ total: 2, ignored: ['There is no facet "colour".'] });
      const many = Array.from({ length: 200 }, (_, index) => String(index));
      expect((await find({ filters: { subject: many } })).ignored).toEqual(['Only the first 30 filters were used.']);
      for (const value of ['', '0', '-1', 'x', '99999999999999', '1\0', '💥'])
        expect((await find({ filters: { subject: [value], agent: [value] } })).total).toBe(0);
      expect(await find({ page: 1e9 })).toMatchObject({ total: 6, items: [] });
      expect((await find({ page: -3, size: 1e9 })).items.length).toBe(6);
      expect((await find({ page: Number.NaN, size: Number.NaN })).items.length).toBe(1);
    });

    it.each(['relevance', 'title', 'date', 'newest'] as const)(
      'shows each hit once when paged by %s and position',
      async (sort) => {
        const all = nids(await find({ text: 'harbour OR ansichten OR boyle', sort }));
        expect(all.length).toBe(6);
        const byPage: number[] = [];
        const byPosition: number[] = [];
        let after: string | undefined;
        for (let page = 0; page < 3; page++) {
          const query = { text: 'harbour OR ansichten OR boyle', sort, size: 2 };
          byPage.push(...nids(await find({ ...query, page })));
          const result: SearchResult = await find({ ...query, after });
          byPosition.push(...nids(result));
          after = result.next;
        }
        expect(byPage).toEqual(all);
        expect(byPosition).toEqual(all);
        expect(after).toBeUndefined();
      },
    );

    it('sorts by title and by date', async () => {
      expect(nids(await find({ sort: 'title' }))).toEqual([7, 2, 5, 1, 4, 8]);
      expect(nids(await find({ sort: 'date' }))).toEqual([4, 5, 1, 2, 7, 8]);
      expect(nids(await find({ sort: 'newest' }))).toEqual([8, 7, 5, 4, 2, 1]);
    });

    it.each(['x', '', 'a.b', '.', 'W10.AAAAAAAAAAAA', '1'.repeat(5_000), '{}'])(
      'rejects the position %p',
      async (after) => {
        expect(await failure(find({ text: 'harbour', after }))).toMatchObject({ kind: 'malformed' });
      },
    );

    it('rejects a position of another query, order or caller', async () => {
      const { next: after } = await find({ text: 'harbour', size: 1 });
      expect(after).toBeDefined();
      expect((await find({ text: 'harbour', size: 3, after })).items.length).toBe(3);
      for (const other of [
        { text: 'ferry' },
        { text: 'harbour', sort: 'title' },
        { text: 'harbour', from: 1 },
      ] as const)
        expect(await failure(find({ ...other, after }))).toMatchObject({ kind: 'malformed' });
      expect(await failure(find({ text: 'harbour', after }, EDITOR))).toMatchObject({ kind: 'malformed' });
    });

    it('marks matches in their original spelling', async () => {
      const marked = async (text: string) =>
        (await find({ text })).items.map(({ snippet }) =>
          snippet.filter(({ isMark }) => isMark).map((part) => part.text),
        );
      expect(await marked('dartmouth')).toEqual([['Dartmouth']]);
      expect(await marked('lodz')).toEqual([['Łódź']]);
      expect(await marked('zurich')).toEqual([['Z\u0075\u0308rich']]);
      expect(await marked('"inner basin"')).toEqual([['inner basin']]);
      const [item] = (await find({ text: 'delegation' })).items;
      const text = item?.snippet.map((part) => part.text).join('');
      expect(text).toStartWith('…');
      expect(text).toContain('The Łódź delegation visited the harbour');
      expect(text?.length).toBeLessThan(300);
      const [html] = (await find({ text: 'hafen' })).items;
      expect(html?.snippet.map((part) => part.text).join('')).toContain('den Hafen & die Stadt');
    });

    it('suggests a query that has results for the caller', async () => {
      expect((await find({ text: 'harbuor' })).suggestion).toBe('harbour');
      // Exchanged letters count once, so that short words have them, too.
      expect((await find({ text: 'lnie' })).suggestion).toBe('line');
      expect((await find({ text: 'iec' })).suggestion).toBe('ice');
      // One letter of these is exchanged with its neighbour, and another one is wrong.
      for (const text of ['lxin', 'lxxe']) expect((await find({ text })).suggestion).toBeUndefined();
      // Longer words may have more wrong letters.
      expect((await find({ text: 'ferxx' })).suggestion).toBe('ferry');
      expect((await find({ text: 'dartmxxxh' })).suggestion).toBe('dartmouth');
      // The beginning of a word, and two letters, have too many similar words.
      for (const text of ['harbuor*', 'ie']) expect((await find({ text })).suggestion).toBeUndefined();
      expect((await find({ text: 'feri dartmuoth' })).suggestion).toBeUndefined();
      expect((await find({ text: 'ferrry dartmuoth' })).suggestion).toBe('ferry dartmouth');
      expect((await find({ text: 'zephyrinne' }, EDITOR)).suggestion).toBe('zephyrine');
      expect((await find({ text: 'zephyrinne' })).suggestion).toBeUndefined();
      expect((await find({ text: 'harbour' })).suggestion).toBeUndefined();
      expect((await find({ text: 'qqqqqqqq' })).suggestion).toBeUndefined();
    });

    it('completes titles, collections and terms that the caller may view', async () => {
      const texts = async (text: string, viewer = ANONYMOUS) =>
        (await engine.suggest(viewer, text)).map(({ kind, text: found }) => `${kind} ${found}`);
      expect(await texts('harb')).toEqual(['collection Harbour Commission', 'title Harbour in winter']);
      expect(await texts('ZURCHER')).toEqual(['title Zürcher Ansichten']);
      expect(await texts('ship')).toEqual(['term Ships']);
      expect(await texts('ship', EDITOR)).toEqual(['term Ships', 'term Shipwrecks nobody knows']);
      expect(await texts('closed')).toEqual([]);
      expect(await texts('closed', EDITOR)).toEqual(['collection Closed papers', 'title Closed until 2040']);
      for (const text of ['', 'h', ' ', '%', '*', '\0\0', '"', 'x'.repeat(100_000)])
        expect(await texts(text)).toEqual([]);
      expect((await engine.suggest(ANONYMOUS, 'boyle,'))[0]).toEqual({
        ...{ text: 'Boyle, Margaret', kind: 'term', url: `/taxonomy/term/${BOYLE}` },
      });
    });

    it('finds those of some nodes that match an expression', async () => {
      const [match, nids] = ['title : ("harbour")', [1, 3, 4, 999]];
      expect((await engine.matching(match, nids)).sort()).toEqual([1, 4]);
      expect(await engine.matching('title : ("nothing")', nids)).toEqual([]);
      expect(await engine.matching(match, [])).toEqual([]);
    });

    it('stops immediately if the caller has disconnected', async () => {
      expect(
        await failure(engine.search(ANONYMOUS, { text: 'harbour' }, { signal: AbortSignal.abort() })),
      ).toMatchObject({
        kind: 'client-gone',
      });
    });

    it('finds the writes of other processes: new, changed, hidden and deleted nodes', async () => {
      const other = await site.open();
      const seen = async () => nids(await find({ text: 'lighthouse', sort: 'newest' }));
      expect(await seen()).toEqual([]);
      await other.write(
        [20, 21, 22].flatMap((nid) => nodeRow({ nid, title: `Lighthouse ${nid}`, facets: { collection: [2] } })),
      );
      expect(await seen()).toEqual([22, 21, 20]);
      const { next } = await find({ text: 'lighthouse', sort: 'newest', size: 2 });
      await other.write([
        ...nodeRow({ nid: 21, title: 'Lighthouse 21', isHidden: true }),
        ...deleted(22),
        ...nodeRow({ nid: 23, title: 'Lighthouse 23', facets: { collection: [2] } }),
      ]);
      expect(nids(await find({ text: 'lighthouse', sort: 'newest', size: 2, after: next }))).toEqual([20]);
      expect(await seen()).toEqual([23, 20]);
      expect(counts(await find({ text: 'lighthouse' }), 'collection')).toEqual({
        'Harbour Commission': 2,
        'Boyle photographs': 2,
      });
      // A circle: each of the two is then below the other.
      await other.write(nodeRow({ nid: 1, title: 'Harbour Commission', facets: { collection: [2] } }));
      expect(counts(await find({ text: 'lighthouse' }), 'collection')).toEqual({
        'Boyle photographs': 2,
        'Harbour Commission': 2,
      });
      await other.write([...nodeRow(NODES[0] as NodeRow), ...[20, 21, 23].flatMap(deleted)]);
      expect(await seen()).toEqual([]);
    });

    it('shows pages with their book, as soon as it is one', async () => {
      const other = await site.open();
      const leaf = (nid: number, fulltext: string) =>
        nodeRow({ nid, title: `Leaf ${nid}`, fulltext, facets: { collection: [30] } });
      await other.write([
        ...nodeRow({ nid: 30, title: 'Logbook' }),
        ...leaf(31, 'barnacle and more of other things'),
        ...leaf(32, 'barnacle barnacle'),
        ...leaf(33, 'nothing'),
        ...nodeRow({ nid: 34, title: 'Barnacle' }),
      ]);
      const found = async (query: Partial<SearchQuery> = {}) => {
        const { total, items } = await find({ text: 'barnacle', groupsPages: true, ...query });
        return [total, items.map(({ nid, pages }) => [nid, ...pages.map((page) => page.nid)])];
      };
      expect(await found({ sort: 'newest' })).toEqual([3, [[34], [32], [31]]]);
      await other.write(asBook(30, 950));
      expect(await found()).toEqual([2, [[34], [30, 32, 31]]]);
      expect(await found({ sort: 'newest' })).toEqual([2, [[34], [30, 31, 32]]]);
      expect(await found({ groupsPages: false, sort: 'newest' })).toEqual([3, [[34], [32], [31]]]);
      await other.write(nodeRow({ nid: 30, title: 'Logbook', isHidden: true }));
      expect(await found({ sort: 'newest' })).toEqual([3, [[34], [32], [31]]]);
      await other.write([30, 31, 32, 33, 34].flatMap(deleted));
    });
  });
}
