import { describe, expect, it } from 'bun:test';
import { type Feed, writeFeed } from '../../../../src/harvest/feed/write-feed.ts';
import type { Thumbnail } from '../../../../src/repository/content/lists/find-cards.ts';
import { expectFeed } from '../../../support/atom.ts';
import { card } from '../../../support/search-data.ts';

const FEED: Feed = {
  ...{ siteName: 'Town Archive', baseUrl: 'https://repo.example', path: '/node/9/feed.atom', page: '/node/9' },
  ...{ title: 'Boats', language: 'en', changed: 2_000, items: [] },
};
const itemOf = (id: number, changed: number) => {
  const item = card({ id });
  return { card: item, times: { id, uuid: item.uuid, alias: null, created: 100, changed } };
};
const read = (changes: Partial<Feed> = {}) => expectFeed(writeFeed({ ...FEED, ...changes }));

describe('the time of a feed', () => {
  it('is that of its newest item, even if the list itself has changed later', () => {
    expect(read({ items: [itemOf(1, 500), itemOf(2, 1_000), itemOf(3, 700)] }).updated).toBe('1970-01-01T00:16:40Z');
  });

  it('is that of the list if it has no items', () => {
    expect(read().updated).toBe('1970-01-01T00:33:20Z');
  });
});

describe('the thumbnail of an entry', () => {
  const thumbnailOf = (thumbnail: Partial<Thumbnail>) => {
    const item = itemOf(1, 500);
    const shown = { path: '/thumbnail.jpg', width: undefined, height: undefined, ...thumbnail };
    return read({ items: [{ ...item, card: card({ thumbnail: shown }) }] }).entry[0]['media:thumbnail'];
  };

  it('has its size', () => {
    expect(thumbnailOf({ width: 20, height: 10 })).toMatchObject({ width: '20', height: '10' });
  });

  it('has no size if that is unknown', () => {
    expect(Object.keys(thumbnailOf({}))).toEqual(['url']);
  });
});
