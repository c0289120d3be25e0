import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { unconfiguredStores } from '../../../../src/repository/files/stored-files.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const lost = () => unconfiguredStores(repository.running.services);

/** As if a configuration had been lost since. */
function addFile(number: number, uri: string, storedIn: string | null = null) {
  return {
    sql: `INSERT INTO file (uuid, owner_id, langcode, filename, uri, filemime, filesize, status, created, changed,
      version, storage_key, sha256, stored_in) VALUES (?, 1, 'en', 'a', ?, 'text/plain', 1, 1, 0, 0, 1, ?, '', ?)`,
    args: [`uuid ${number}`, uri, `key ${number}`, storedIn],
  };
}

describe('stores that rows name', () => {
  it('are all configured in a new repository', async () => expect(await lost()).toEqual([]));

  it('are reported once each if they are missing in the configuration', async () => {
    const uris = ['archive://a', 'archive://~~~~~/z', 'archive-2://a', 'zoo://ü', 'public://b', 'private://c'];
    const moved = [
      ['public://m', 's3'],
      ['public://n', 's3'],
      ['public://o', 'fedora'],
    ] as const;
    await repository.running.services.database.write([
      ...uris.map((uri, index) => addFile(index, uri)),
      ...moved.map(([uri, store], index) => addFile(100 + index, uri, store)),
    ]);
    expect((await lost()).sort()).toEqual(['archive', 'archive-2', 's3', 'zoo']);
  });

  it('are named in the log when a server starts', async () => {
    await repository.restart();
    expect(repository.failures().map(({ msg }) => msg)).toEqual([
      'files are kept in archive, archive-2, s3, zoo, which is not configured: they cannot be read',
    ]);
  });
});
