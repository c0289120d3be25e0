import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, fileOf, pngHead, putToNode, readJson, uploadFile } from '../../support/binaries.ts';
import { USE } from '../../support/site-builder.ts';
import { keysIn, looseEnds, rowOf, schemesWith } from '../../support/stores.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const schemes = schemesWith({ public: 'archive', private: 'public', fedora: 'archive' });
let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ schemes });
});
afterAll(() => repository.stop());

const put = async (uri: string, body: string, status = true) => {
  const node = await repository.node({ status: [status] });
  await createMedia(repository, { node, type: 'document', uri, body, contentType: 'text/plain' });
  return node;
};
const over = (node: Awaited<ReturnType<typeof put>>, body: string) =>
  putToNode(repository, { node, type: 'document', uri: undefined, body, contentType: 'text/plain' });
const bytes = async (path: string, as?: string) => {
  const response = await repository.get(path, as);
  return [response.status, response.status === 200 ? await response.text() : ''];
};
/** Starts again with another configuration. */
async function restartWith(storeIn: Record<string, string>): Promise<void> {
  schemes.splice(0, schemes.length, ...schemesWith(storeIn));
  await repository.restart();
}

describe('a scheme that keeps new files in the storage of another', () => {
  it('keeps its own addresses and access rules', async () => {
    await put('public://open.txt', 'for all');
    await put('private://closed.txt', 'for some', false);
    const [open, closed] = [
      await rowOf(repository, 'public://open.txt'),
      await rowOf(repository, 'private://closed.txt'),
    ];
    expect({ open: open.storedIn, closed: closed.storedIn }).toEqual({ open: 'archive', closed: 'public' });
    expect(await keysIn(repository, 'archive')).toContain(open.key);
    expect(await keysIn(repository, 'public')).toEqual([closed.key]);
    expect(await keysIn(repository, 'private')).toEqual([]);
    expect(await bytes('/sites/default/files/open.txt')).toEqual([200, 'for all']);
    expect(await bytes('/system/files/closed.txt')).toEqual([401, '']);
    expect(await bytes('/system/files/closed.txt', 'admin')).toEqual([200, 'for some']);
    expect(await bytes('/sites/default/files/closed.txt', 'admin')).toEqual([404, '']);
    expect((await repository.get('/sites/default/files/open.txt')).headers.get('cache-control')).toBe(
      'public, no-cache',
    );
    expect((await repository.get('/system/files/closed.txt', 'admin')).headers.get('cache-control')).toBe(
      'private, no-cache',
    );
  });

  it('stores the generic media icon there', async () => {
    expect((await rowOf(repository, 'public://media-icons/generic.png')).storedIn).toBe('archive');
  });

  it('stores uploads there and deletes them there', async () => {
    const { fid, uri } = await uploadFile(repository, 'waits.png', pngHead(3, 4));
    expect((await rowOf(repository, uri[0].value)).storedIn).toBe('archive');
    expect(await bytes(uri[0].url, 'admin')).toEqual([200, pngHead(3, 4).toString()]);
    expect((await repository.delete(`/entity/file/${fid[0].value}`, 'admin')).status).toBe(204);
  });

  it('replaces the bytes of a file there', async () => {
    const node = await put('public://twice.txt', 'once');
    const before = await rowOf(repository, 'public://twice.txt');
    expect((await over(node, 'twice')).status).toBe(204);
    expect(await rowOf(repository, 'public://twice.txt')).toMatchObject({ id: before.id, storedIn: 'archive' });
    expect(await bytes('/sites/default/files/twice.txt')).toEqual([200, 'twice']);
  });

  it('reads the text of a media from a file there', async () => {
    const node = await repository.node();
    const body = 'Words of a page';
    const options = { node, type: 'extracted_text', use: USE.service, uri: 'public://words.txt', body };
    const media = await createMedia(repository, { ...options, contentType: 'text/plain' });
    expect((await rowOf(repository, 'public://words.txt')).storedIn).toBe('archive');
    expect(media.field_edited_text[0].value).toContain('Words of a page');
  });
});

describe('files that were stored before another store was configured', () => {
  it('are read in the old store, and move with their next bytes', async () => {
    const node = await put('public://elder.txt', 'elder');
    const elder = await rowOf(repository, 'public://elder.txt');
    await restartWith({});
    expect(await bytes('/sites/default/files/elder.txt')).toEqual([200, 'elder']);
    expect(await rowOf(repository, 'public://elder.txt')).toEqual(elder);

    expect((await over(node, 'younger')).status).toBe(204);
    expect(await rowOf(repository, 'public://elder.txt')).toMatchObject({ id: elder.id, storedIn: null });
    expect(await bytes('/sites/default/files/elder.txt')).toEqual([200, 'younger']);
  });

  it('are deleted from the old store', async () => {
    await restartWith({ public: 'archive' });
    const node = await repository.node();
    const media = await createMedia(repository, { node, uri: 'public://goes.png', body: pngHead(1, 1) });
    await restartWith({ public: 'fedora' });
    const file = await fileOf(repository, media);
    expect((await repository.delete(`/entity/file/${file.fid[0].value}`, 'admin')).status).toBe(204);
    expect((await readJson(repository, `/media/${media.mid[0].value}`)).field_media_image).toEqual([]);
  });

  it('leave no unused objects in any store', async () => {
    await restartWith({});
    expect(await looseEnds(repository)).toEqual([]);
  });
});
