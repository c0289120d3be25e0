import { describe, expect, it } from 'bun:test';
import { STYLE_NONCE, securityPolicy } from '../../../src/pages/security-policy.ts';
import { representation } from '../../../src/web/respond.ts';

const PAGE = {
  body: `<meta name="style-nonce" nonce="${STYLE_NONCE}"><title>A</title><p>${STYLE_NONCE}</p>`,
  etag: '"a.b"',
  changed: undefined,
  noncePlaceholder: STYLE_NONCE,
  headers: { 'Content-Security-Policy': securityPolicy({ hasStyleNonce: true }) },
};

const ask = (headers: Record<string, string> = {}) =>
  representation({ request: new Request('http://localhost/node/1', { headers }), isNegotiated: true }, PAGE);
const nonceOf = (response: Response) =>
  /style-src 'self' 'nonce-([\w-]{22})'/.exec(response.headers.get('Content-Security-Policy') ?? '')?.[1];

describe('a page with a nonce for style elements', () => {
  it('has one nonce in policy and page, and a new one for each response', async () => {
    const [first, second] = [ask(), ask()];
    const nonce = nonceOf(first);
    expect(await first.text()).toStartWith(`<meta name="style-nonce" nonce="${nonce}">`);
    expect(nonce).toBeString();
    expect(nonceOf(second)).not.toBe(nonce);
  });

  it('does not insert its nonce into content with the placeholder', async () => {
    expect(await ask().text()).toEndWith(`<p>${STYLE_NONCE}</p>`);
  });

  it('keeps the policy of the page that the client has cached', () => {
    const response = ask({ 'If-None-Match': '"a.b"' });
    expect(response.status).toBe(304);
    expect(response.headers.get('Content-Security-Policy')).toBeNull();
  });
});
