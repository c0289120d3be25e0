import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { ServiceError } from '../../../../src/base/errors.ts';
import { query } from '../../../../src/database/query-builder.ts';
import { type FileRow, files } from '../../../../src/database/schema/files.ts';
import { statementOf } from '../../../../src/database/statement.ts';
import { hashOfFile } from '../../../../src/repository/files/hash-of-file.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let row: FileRow;
let md5: string;
beforeAll(async () => {
  repository = await createTestRepository();
  const path = 'media-icons/generic.png';
  const { database } = repository.running.services;
  const found = query
    .select()
    .from(files)
    .where(eq(files.uri, `public://${path}`));
  row = (await database.get(statementOf(found))) as FileRow;
  const bytes = await (await repository.get(`/sites/default/files/${path}`)).bytes();
  md5 = new Bun.CryptoHasher('md5').update(bytes).digest('hex');
});
afterAll(() => repository.stop());

const ask = (file: FileRow, signal = new AbortController().signal) =>
  hashOfFile(repository.running.services, file, 'md5', signal);
const kindOf = (asked: Promise<string>) => asked.then(String, (error: ServiceError) => error.kind);

describe('the checksum of a file', () => {
  it('is computed from its bytes', async () => {
    expect(await ask(row)).toBe(md5);
  });

  it('is computed from the new bytes after the file is replaced', async () => {
    expect(await ask({ ...row, storageKey: row.storageKey.replaceAll(/[0-9a-f]/g, '0'), filesize: 1 })).toBe(md5);
  });

  it('is missing if the file and its object are deleted', async () => {
    expect(await kindOf(ask({ ...row, id: 99_999, storageKey: row.storageKey.replaceAll(/[0-9a-f]/g, '0') }))).toBe(
      'not-found',
    );
  });

  it('is cancelled when the client disconnects', async () => {
    expect(await kindOf(ask(row, AbortSignal.abort()))).toBe('client-gone');
  });
});
