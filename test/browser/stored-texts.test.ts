import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { FieldDefinition } from '../../src/model/content-model.ts';
import { visit } from '../support/browser.ts';
import { PNG } from '../support/repository-routes.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { makeSiteFiles } from '../support/site-files.ts';
import { type As, createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const RUN = `document.documentElement.dataset.ran='yes'`;
const SCRIPT = `'"></textarea></script><script>${RUN}</script><img src onerror="${RUN}"><svg/onload="${RUN}">{{7*7}}`;
const VTT = `WEBVTT\n\n00:00.000 --> 00:05.000\n${SCRIPT}\n`;
const PLAIN: ReadonlySet<string> = new Set(['string', 'string_long', 'textfield_attr', 'textarea_attr']);
const FORMATTED: ReadonlySet<string> = new Set(['text', 'text_long', 'text_with_summary']);

let repository: TestRepository;
let build: SiteBuilder;
let ids: Record<'node' | 'revision' | 'member' | 'collection' | 'media' | 'term' | 'user' | 'audio', number>;

/** A value with script for a field of text, or none. */
function hostile({ type, maxLength = Number.POSITIVE_INFINITY }: FieldDefinition): object[] {
  const value = SCRIPT.slice(0, maxLength);
  if (PLAIN.has(type)) return [{ value }];
  return FORMATTED.has(type) ? [{ value, format: 'basic_html' }] : [];
}

function hostileFields(fields: readonly FieldDefinition[]): Record<string, object[]> {
  return Object.fromEntries(
    fields.flatMap((field) => (hostile(field).length > 0 ? [[field.name, hostile(field)]] : [])),
  );
}

beforeAll(async () => {
  const [opened, files] = await Promise.all([
    createTestRepository({
      siteName: SCRIPT,
      site: {
        ...DEFAULT_SERVER_CONFIG.site,
        introduction: SCRIPT,
        footerLinks: [{ label: SCRIPT, href: '/collections' }],
      },
    }),
    makeSiteFiles(),
  ]);
  repository = opened;
  build = new SiteBuilder(repository);
  const { nodeTypes, vocabularies, mediaTypes } = repository.running.services.model;
  const user = await repository.user('<script>x', 'repository_editor');
  const subject = vocabularies.get('subject')?.fields ?? [];
  const term = await build.term('subject', SCRIPT, {
    ...hostileFields(subject),
    description: [{ value: SCRIPT, format: 'basic_html' }],
  });
  const collection = await build.node('collection', SCRIPT);
  const about = { field_subject: [term], field_member_of: [collection], uid: [user], revision_log: [SCRIPT] };
  const all = hostileFields(nodeTypes.get('islandora_object')?.fields ?? []);
  expect(Object.keys(all).length).toBeGreaterThan(15);
  const node = await build.node('image', SCRIPT, { ...all, ...about });
  const { vid } = (await (await repository.get(`/node/${node}?_format=json`)).json()) as EntityJson;
  await build.change(`/node/${node}`, {
    type: 'islandora_object',
    field_extent: [`${SCRIPT}2`],
    revision_log: [SCRIPT],
  });
  const media = await build.upload(node, {
    ...{ use: 'original', media: 'image', mimeType: 'image/png', name: 'a b<i>.png', bytes: PNG },
  });
  const image = mediaTypes.get('image')?.fields ?? [];
  const { field_media_image: source } = (await (
    await repository.get(`/media/${media}?_format=json`, 'admin')
  ).json()) as EntityJson;
  await build.change(`/media/${media}`, {
    ...{ bundle: 'image', name: [SCRIPT], revision_log_message: [SCRIPT] },
    ...hostileFields(image.filter(({ name }) => name !== 'field_mime_type')),
    field_media_image: [{ ...source[0], alt: SCRIPT, title: SCRIPT }],
  });
  await build.upload(node, {
    ...{ use: 'text', media: 'extracted_text', mimeType: 'text/plain', name: 'a.txt', bytes: SCRIPT },
  });
  const member = await build.node('image', SCRIPT, { ...about, field_member_of: [node] });
  const audio = await build.node('audio', SCRIPT, about);
  const recording = await build.upload(audio, {
    ...{ use: 'original', media: 'audio', mimeType: 'audio/mpeg', name: 'a.mp3', bytes: files.audio },
  });
  await build.captions(recording, 'audio', VTT);
  ids = { node, revision: vid[0].value, member, collection, media, term, user, audio };
}, 120_000);
afterAll(() => repository.stop());

const PAGES: readonly [name: string, path: () => string, as: As | undefined, status: number][] = [
  ['the front page', () => '/', undefined, 200],
  ['all collections', () => '/collections', undefined, 200],
  ['a collection', () => `/node/${ids.collection}?view=list`, undefined, 200],
  ['an item', () => `/node/${ids.node}`, undefined, 200],
  ['a member of the item', () => `/node/${ids.member}`, undefined, 200],
  ['the embedded item', () => `/node/${ids.node}/embed`, undefined, 200],
  ['a recording with captions', () => `/node/${ids.audio}`, undefined, 200],
  ['a media entity', () => `/media/${ids.media}`, undefined, 200],
  ['a term', () => `/taxonomy/term/${ids.term}`, undefined, 200],
  ['a user', () => `/user/${ids.user}`, 'admin', 200],
  ['the revision history', () => `/node/${ids.node}/revisions`, 'admin', 200],
  ['a comparison of revisions', () => `/node/${ids.node}/revisions?left=${ids.revision}`, 'admin', 200],
  ['an error page', () => `/node/999999?x=${encodeURIComponent(SCRIPT)}`, undefined, 404],
  [
    'the error page for an invalid parameter',
    () => `/node/${ids.node}?sort=${encodeURIComponent(SCRIPT)}`,
    undefined,
    400,
  ],
];

describe('script in stored and configured texts', () => {
  it.each(PAGES)('does not run on the page: %s', async (_name, path, as, expected) => {
    const { page, complaints, status, close } = await visit(repository.url + path(), { as });
    expect(status).toBe(expected);
    if (path().endsWith(String(ids.audio))) {
      await page.evaluate(`document.querySelector('audio').currentTime = 2`);
      await until(async () => (await page.locator('.viewer-captions').textContent()) !== '');
    }
    expect(await page.evaluate<string | null>('document.documentElement.dataset.ran ?? null')).toBeNull();
    expect(await page.evaluate<number>(`document.querySelectorAll('[onerror], [onload]').length`)).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
