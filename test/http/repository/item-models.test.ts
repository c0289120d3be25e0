import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join, resolve } from 'node:path';
import type { Actor } from '../../../src/repository/actor.ts';
import { createActorFactory } from '../../../src/repository/actor.ts';
import { findCollectionChoices } from '../../../src/repository/lists/list-choices.ts';
import { blocksOf } from '../../support/examples.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';

const NEWSPAPER = 'https://schema.org/Newspaper';
const ARCHIVE = 'https://example.org/models/archive';
const ALBUM = 'https://example.org/models/postcard-album';

let site: LinkedSite;
const items: Record<'newspaper' | 'issue' | 'archive' | 'album' | 'postcard', number> = {
  ...{ newspaper: 0, issue: 0, archive: 0, album: 0, postcard: 0 },
};

beforeAll(async () => {
  const blocks = await blocksOf(join(resolve(import.meta.dir, '../../..'), 'docs/model.md'));
  const example = blocks.find(({ language, text }) => language === 'yaml' && text.startsWith('models:'));
  site = await createLinkedSite(example?.text ?? '');
  const uriOf = (uri: string) => ({ field_external_uri: [{ uri, title: '' }] });
  const archive = await site.term('islandora_models', 'Archive', uriOf(ARCHIVE));
  const album = await site.term('islandora_models', 'Postcard album', uriOf(ALBUM));
  const newspaper = await site.repository.termId(NEWSPAPER);
  items.newspaper = await site.node({ title: ['Herald'], field_model: [newspaper] });
  items.issue = await site.node({ title: ['Herald of 1 May'], field_member_of: [items.newspaper] });
  items.archive = await site.node({ title: ['Town archive'], field_model: [archive] });
  items.album = await site.node({ title: ['Album'], field_model: [album] });
  items.postcard = await site.node({ title: ['Bay'], field_member_of: [items.album] });
  await site.picture(items.postcard, 'http://pcdm.org/use#OriginalFile');
});
afterAll(() => site.stop());

const page = async (path: string) => (await site.repository.get(path, undefined, { Accept: 'text/html' })).text();
const manifest = async (id: number) => (await site.repository.get(`/node/${id}/manifest`)).json();

describe('a newspaper', () => {
  it('is a collection for readers', async () => {
    expect(await page('/collections')).toContain('Herald</span>');
    expect(await page('/')).toContain('Herald</span>');
    expect(await manifest(items.newspaper)).toMatchObject({ type: 'Collection' });
  });

  it('is a set for harvesters', async () => {
    expect(await (await site.repository.get('/oai/request?verb=ListSets')).text()).toContain(
      '<setName>Herald</setName>',
    );
  });

  it('is a collection for editors', async () => {
    const { services } = site.repository.running;
    const admin: Actor = createActorFactory(
      services.model,
      services.access,
    )({
      id: 1,
      uuid: '',
      name: 'admin',
      roles: ['administrator'],
    });
    const choices = await findCollectionChoices(services, admin);
    expect(choices?.map(({ label }) => label)).toEqual(['Herald', 'Town archive']);
  });

  it('has the words of the configuration', async () => {
    expect(await page(`/node/${items.newspaper}`)).toContain('Numbers');
  });
});

describe('a model of a site', () => {
  it('makes collections', async () => {
    expect(await page('/collections')).toContain('Town archive</span>');
    expect(await page(`/node/${items.archive}`)).toContain('This archive has no fonds yet.');
  });

  it('makes books with words of their own', async () => {
    const html = await page(`/node/${items.album}`);
    expect(html).toContain('Postcards');
    expect(await manifest(items.album)).toMatchObject({ type: 'Manifest' });
  });

  it('has an icon in lists, and a kind of work in citations', async () => {
    expect(await page('/')).toContain('M3 5h18v14H3zM12 5v14M15 9h3M15 12h3');
    const response = await site.repository.get(`/node/${items.album}/cite?style=ris`);
    expect(await response.text()).toStartWith('TY  - ART');
  });
});
