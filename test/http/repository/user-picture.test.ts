import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { expectRefusal, settledFiles } from '../../support/binaries.ts';
import { PNG } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('plain');
  await repository.user('editor', 'content_editor');
  await repository.user('loader', 'workbench_user');
});
afterAll(async () => {
  await settledFiles(repository);
  await repository.stop();
});

const MAX_BYTES = 2 * 1024 * 1024;

const upload = (body: Bun.BodyInit, as: string | undefined, name = 'me.png') =>
  repository.fetch('/file/upload/user/user/user_picture?_format=json', {
    method: 'POST',
    body: body as NonNullable<RequestInit['body']>,
    as,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `file; filename="${name}"` },
  });

const invalid = (line: string) => `Unprocessable Entity: file validation failed.\n${line}`;
/** Returns a PNG, padded to a length in bytes: readers ignore what follows its end. */
const picture = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.byteLength)]);

describe('the picture of a user', () => {
  it.each(['plain', 'editor', 'loader'])('is not uploaded without the permission: %s', async (as) => {
    await expectRefusal(repository, () => upload(PNG, as), 403, "The 'administer users' permission is required.");
  });

  it('is not uploaded without credentials', async () => {
    await expectRefusal(repository, () => upload(PNG, undefined), 401, 'No authentication credentials provided.');
  });

  it('is an image of at most 2 MB', async () => {
    const created = await upload(picture(MAX_BYTES), 'admin');
    expect(created.status).toBe(201);
    const file = (await created.json()) as EntityJson;
    expect(file.filename[0].value).toBe('me.png');
    expect(file.filesize[0].value).toBe(MAX_BYTES);
    expect((await upload(PNG, 'admin')).status).toBe(201);
  });

  it('is refused with 422 beyond 2 MB, and nothing is stored', async () => {
    const announced = `The file is ${MAX_BYTES + 1} bytes exceeding the maximum file size of ${MAX_BYTES} bytes.`;
    await expectRefusal(repository, () => upload(picture(MAX_BYTES + 1), 'admin'), 422, invalid(announced));
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(picture(MAX_BYTES + 1));
        controller.close();
      },
    });
    const found = `The file exceeds the maximum file size of ${MAX_BYTES} bytes.`;
    await expectRefusal(repository, () => upload(streamed, 'admin'), 422, invalid(found));
  });

  it.each([
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['a web page', Buffer.from('<!DOCTYPE html><script>alert(1)</script>')],
    ['an executable', Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(200)])],
    ['the beginning of a PNG', PNG.subarray(0, 12)],
  ])('is refused with 422 and not stored if it contains %s', async (_what, body) => {
    await expectRefusal(repository, () => upload(body, 'admin'), 422, invalid('The file is not a valid image.'));
  });
});
