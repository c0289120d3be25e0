import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { sized } from '../../support/size.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const ROUNDS = sized(6, 60);
const READERS = 8;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const closed = { type: 'islandora_object', access_rule: [{ preset: 'closed' }] };

describe('readers of an item that is being closed', () => {
  it.each<[string, (path: string, id: number, collection: number) => string]>([
    ['the item', (_path, id) => `/node/${id}?_format=json`],
    ['its page', (_path, id) => `/node/${id}?_format=html`],
    ['its bytes', (path) => path],
    ['the manifest of its collection', (_path, _id, collection) => `/node/${collection}/manifest`],
    ['a search', () => '/search?q=racing&_format=json'],
    ['the list of items', () => '/node?size=100'],
    ['its record', () => '/oai/request?verb=ListRecords&metadataPrefix=oai_dc'],
  ])('get nothing of %s by a request after the answer to the change', async (_what, pathOf) => {
    const collection = await repository.build.node('collection', 'All');
    for (let round = 0; round < ROUNDS; round += 1) {
      const word = `Racing${crypto.randomUUID().replaceAll(/[^a-z]/g, '')}x`;
      const { nid } = await repository.build.item({ title: [`racing ${word}`], field_member_of: [collection] });
      const [id] = nid.map(({ value }: { value: number }) => value);
      const media = await repository.build.media(id, { name: `${word}.png`, bytes: pngHead(9, 9) });
      const path = pathOf(new URL(media.field_media_image[0].url).pathname, id, collection);
      let [isClosed, isOver] = [false, false];
      const late: string[] = [];
      const read = async () => {
        while (!isOver) {
          const began = isClosed;
          const answer = await repository.get(path, undefined, { Accept: '*/*' });
          const text = await answer.text();
          const isShown = path.startsWith('/sites') ? answer.status === 200 : text.includes(word);
          if (began && isShown) late.push(`${answer.status} ${text.slice(0, 200)}`);
        }
      };
      const readers = Array.from({ length: READERS }, read);
      await repository.build.change(round % 2 === 0 ? `/node/${id}` : `/node/${collection}`, closed);
      isClosed = true;
      for (let after = 0; after < 5; after += 1) await repository.get('/healthcheck');
      isOver = true;
      await Promise.all(readers);
      expect(late).toEqual([]);
      await repository.build.change(`/node/${collection}`, { ...closed, access_rule: [] });
      await repository.build.change(`/node/${id}`, closed);
    }
  });
});
