import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import LinkHeader from 'http-link-header';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { LocalConnection } from '../../../src/database/local/local-connection.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';

let site: LinkedSite;
beforeAll(async () => {
  // Statements are observed on the connection to a local file.
  site = await createLinkedSite('', { database: DEFAULT_SERVER_CONFIG.database });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

describe('the link set of a node with very many media', () => {
  it('leaves other requests their turn', async () => {
    const media = 30_000;
    const [node, other] = [await nodeWithMedia(site, media, ORIGINAL), await site.node()];
    const paths = [`/node/${node}/linkset`, `/node/${other}`];
    const { first } = LocalConnection.prototype;
    const begun = Promise.withResolvers<void>();
    LocalConnection.prototype.first = function (sql, args) {
      // The media are asked for: from here on it is under way.
      if (sql.includes("'field_media_of'") && Array.isArray(args) && args.includes(node)) begun.resolve();
      return first.call(this, sql, args);
    };
    const logged = site.repository.log.length;
    try {
      const set = site.repository.get(`${paths[0]}?_format=linkset`, 'reader');
      await begun.promise;
      expect((await site.repository.get(`${paths[1]}?_format=json`, 'reader')).status).toBe(200);
      const { refs } = LinkHeader.parse((await (await set).text()).replaceAll('\n', ' '));
      expect(refs.filter(({ rel }) => rel === 'item')).toHaveLength(media);
    } finally {
      LocalConnection.prototype.first = first;
    }
    // A line is logged when an answer is done.
    const answered = site.repository.log.slice(logged).map(({ path }) => path as string);
    expect(answered).toEqual(paths.toReversed());
  });
});

describe('the number of queries', () => {
  /** Runs something and returns the statements that reads were made of. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { run, first } = LocalConnection.prototype;
    const statements: string[] = [];
    LocalConnection.prototype.run = function (statement) {
      statements.push(typeof statement === 'string' ? statement : statement.sql);
      return run.call(this, statement);
    };
    LocalConnection.prototype.first = function (sql, args) {
      statements.push(sql);
      return first.call(this, sql, args);
    };
    try {
      await work();
    } finally {
      Object.assign(LocalConnection.prototype, { run, first });
    }
    return statements.filter((sql) => !/^(?:BEGIN|COMMIT)/.test(sql));
  }

  async function nodeWith(references: number, media: number): Promise<number> {
    const subjects: number[] = [];
    const parents: number[] = [];
    for (let index = 0; index < references; index++) {
      subjects.push(await site.term('subject', `Subject ${references} ${index}`));
      parents.push(await site.node());
    }
    const node = await nodeWithMedia(site, media, ORIGINAL);
    await site.changeNode(node, { field_subject: subjects, field_member_of: parents });
    return node;
  }

  it.each(['json', 'jsonld', 'html'])('is the same for 1 and for 60 references and media: %s', async (format) => {
    const few = await nodeWith(1, 1);
    const many = await nodeWith(60, 60);
    const ask = (node: number) => async () => {
      const response = await site.repository.get(`/node/${node}?_format=${format}`, 'reader');
      expect(response.status).toBe(200);
      return response.text();
    };
    // The caller is cached from then on.
    await ask(await site.node())();
    const cold = [await statementsOf(ask(few)), await statementsOf(ask(many))];
    expect(cold[1]).toHaveLength(cold[0]?.length ?? 0);
    // A page reads the members, the breadcrumbs and the neighbours of a node, too.
    expect(cold[1]?.length).toBeLessThan(format === 'html' ? 12 : 8);
    const hot = [await statementsOf(ask(few)), await statementsOf(ask(many))];
    // The index of the write-ahead log, which is no statement, tells that nothing was written.
    expect(hot[0]).toEqual([]);
    // A page of that length is not cached, and is read again.
    if (format !== 'html') expect(hot[1]).toEqual(hot[0]);
    expect(hot[1]?.length).toBeLessThanOrEqual(cold[1]?.length ?? 0);
  });

  it('is the same for link sets of any length', async () => {
    const [few, many] = [await nodeWith(1, 1), await nodeWith(60, 300)];
    const ask = (node: number) => () => site.repository.get(`/node/${node}/linkset`, 'reader');
    await ask(few)();
    const before = await statementsOf(ask(few));
    await ask(many)();
    expect(await statementsOf(ask(many))).toHaveLength(before.length);
    expect(before.length).toBeGreaterThan(0);
  });
});
