import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readPage } from '../../support/list-walk.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader', 'workbench_user');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const messageOf = async (path: string, as = 'admin') => {
  const response = await repository.get(path, as);
  expect({ path, status: response.status }).toEqual({ path, status: 400 });
  return ((await response.json()) as EntityJson).message as string;
};

describe('a list refuses', () => {
  it.each([
    ['/node', 'size', '0', 'a number from 1 to 500'],
    ['/node', 'size', '501', 'a number from 1 to 500'],
    ['/media', 'size', '-1', 'a number from 1 to 500'],
    ['/file', 'size', '1e2', 'a number from 1 to 500'],
    ['/user', 'size', '٣', 'a number from 1 to 500'],
    ['/node', 'sort', 'name', 'one of id, -id, created, -created, changed, -changed, title, -title'],
    ['/media', 'sort', 'id desc', 'one of id, -id, created, -created, changed, -changed, name, -name'],
    ['/taxonomy/term', 'sort', '--id', 'one of id, -id, changed, -changed, name, -name'],
    ['/node', 'type', 'image', 'one of islandora_object, article, page'],
    ['/node', 'model', 'Image', 'the id or a URI of a term'],
    ['/node', 'model', '0', 'the id or a URI of a term'],
    ['/node', 'collection', '1 OR 1=1', 'an id'],
    ['/node', 'collection', '0', 'an id'],
    ['/node', 'owner', '-1', 'an id'],
    ['/node', 'owner', '1234567890123456', 'an id'],
    ['/node', 'published', 'yes', 'true or false'],
    ['/user', 'status', '2', 'true or false'],
    ['/file', 'mime_type', 'image', 'a type such as image/png'],
    ['/file', 'scheme', 'public://', 'a scheme such as public'],
    ['/file', 'scheme', "a' OR 1", 'a scheme such as public'],
  ])('%s?%s=%s', async (path, name, value, expected) => {
    expect(await messageOf(`${path}?${name}=${encodeURIComponent(value)}`)).toBe(
      `The query parameter "${name}" must be ${expected}, found ${JSON.stringify(value)}.`,
    );
  });

  it.each(['yesterday', '2026-02-30', '2026-11-23T25:00:00Z', '2026-11-23T10:00', '-5', '99999999999999'])(
    'changed_since=%s',
    async (value) => {
      for (const path of ['/node', '/media', '/taxonomy/term', '/file', '/user'])
        expect(await messageOf(`${path}?changed_since=${value}`)).toStartWith(
          'The query parameter "changed_since" must be a time such as 2026-11-23T10:00:00Z',
        );
    },
  );

  it('values of 100 KB and with NUL', async () => {
    const long = 'x'.repeat(100_000);
    for (const query of [`model=http:${long}`, 'model=http:%00', `after=${long}`, `sort=${long}`, `type=${long}`]) {
      const message = await messageOf(`/node?${query}`);
      expect(message.length).toBeLessThan(300);
    }
  });
});

describe('the position of a page', () => {
  const placeOf = (link: string | undefined, name = 'after') =>
    new URL(link ?? '', 'http://localhost').searchParams.get(name) ?? '';
  const FOREIGN = 'is not from a page of this list with these filters and this order.';

  it('is refused when it is forged or damaged', async () => {
    const { links } = await readPage(repository, '/taxonomy/term?size=3', 'admin');
    const place = placeOf(links.next);
    const [body = '', mac = ''] = place.split('.');
    const forged = Buffer.from('["a",1,null]').toString('base64url');
    for (const each of [
      `${forged}.${mac}`,
      body,
      `${body}.`,
      `${body}.${'A'.repeat(mac.length)}`,
      '1',
      '{}',
      `${place}A`,
    ])
      expect(await messageOf(`/taxonomy/term?size=3&after=${each}`)).toBe(
        `The query parameter "after" ${FOREIGN} Begin without it, and follow the links of the pages.`,
      );
    expect((await repository.get(`/taxonomy/term?size=3&after=${place}`, 'admin')).status).toBe(200);
  });

  it('is refused for another list, order, filter, direction or caller', async () => {
    const path = '/taxonomy/term?sort=name&published=true&size=3';
    const { links } = await readPage(repository, path, 'admin');
    const after = placeOf(links.next);
    for (const other of [
      '/taxonomy/term?sort=-name&published=true',
      '/taxonomy/term?sort=changed&published=true',
      '/taxonomy/term?sort=name&published=false',
      '/taxonomy/term?sort=name',
      '/taxonomy/term?sort=name&published=true&vocabulary=tags',
      '/media?sort=name&published=true',
    ])
      expect(await messageOf(`${other}&after=${after}`)).toContain(`"after" ${FOREIGN}`);
    expect(await messageOf(`${path}&before=${after}`)).toContain(`"before" ${FOREIGN}`);
    expect(await messageOf(`${path}&after=${after}`, 'reader')).toContain(`"after" ${FOREIGN}`);
    expect(await messageOf(`${path}&after=${after}&before=${after}`)).toBe(
      'The query parameters "after" and "before" exclude each other.',
    );
    // Another size of the same list is fine.
    const { entries } = await readPage(
      repository,
      `/taxonomy/term?size=7&published=1&sort=name&after=${after}`,
      'admin',
    );
    expect(entries).toHaveLength(7);
  });

  it('survives a restart', async () => {
    const { links } = await readPage(repository, '/taxonomy/term?size=3');
    const before = await readPage(repository, links.next as string);
    await repository.restart();
    expect(await readPage(repository, links.next as string)).toEqual(before);
  });
});
