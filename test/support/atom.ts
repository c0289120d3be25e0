import { expect } from 'bun:test';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { EntityJson } from './test-repository.ts';

const LISTS = new Set(['entry', 'url', 'sitemap', 'link']);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name) => LISTS.has(name),
});

/** Returns a well-formed document as an object: elements and attributes by name, elements that may repeat as lists. */
export function parseXml(text: string): EntityJson {
  expect(XMLValidator.validate(text)).toBe(true);
  return parser.parse(text);
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const UUID = /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FEED = ['author', 'entry', 'id', 'link', 'title', 'updated', 'xml:lang', 'xmlns', 'xmlns:media'];
const ENTRY = ['category', 'id', 'link', 'media:thumbnail', 'published', 'title', 'updated', 'xml:lang'];

/** Fails unless a text is a feed with the members that RFC 4287 requires, and no others than known ones. Returns its feed. */
export function expectFeed(text: string): EntityJson {
  const { feed } = parseXml(text);
  expect(Object.keys(feed).filter((name) => !FEED.includes(name))).toEqual([]);
  expect(feed.xmlns).toBe('http://www.w3.org/2005/Atom');
  expect(feed.author.name).not.toBe('');
  feed.entry ??= [];
  for (const each of [feed, ...feed.entry]) {
    expect(each.id).toMatch(UUID);
    expect(each.updated).toMatch(DATE);
    expect(typeof each.title).toBe('string');
    const relations = each.link.map(({ rel, type }: EntityJson) => `${rel} ${type}`);
    expect(relations).toContain('alternate text/html');
    expect(new Set(relations).size).toBe(relations.length);
  }
  for (const entry of feed.entry) {
    expect(Object.keys(entry).filter((name) => !ENTRY.includes(name))).toEqual([]);
    expect(entry.published).toMatch(DATE);
  }
  const ids = [feed, ...feed.entry].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return feed;
}
