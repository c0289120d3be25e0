import { describe, expect, it } from 'bun:test';
import { loggedPath } from '../../../src/http/logged-path.ts';

describe('a path in the log', () => {
  it.each([
    ['/user/reset/secret', '/user/reset/…'],
    ['/user/reset/secret/', '/user/reset/…/'],
    ['/base/user/reset/secret', '/base/user/reset/…'],
    ['/USER/reset/secret', '/USER/reset/…'],
    ['/user/mail/secret', '/user/mail/…'],
    ['/user/1', '/user/1'],
    ['/node/1', '/node/1'],
  ])('of %s is %s', (path, logged) => {
    expect(loggedPath(path)).toBe(logged);
  });
});
