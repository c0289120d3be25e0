import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';

let server: Bun.Server<undefined>;
beforeAll(() => {
  const policy = { 'Content-Type': 'text/html', 'Content-Security-Policy': "style-src 'none'; img-src *" };
  const html = '<!doctype html><link rel="icon" href="data:,"><style>p{}</style><img src="http://localhost:9/x.png">';
  server = Bun.serve({ port: 0, fetch: () => new Response(html, { headers: policy }) });
});
afterAll(() => server.stop(true));

describe('a visit', () => {
  it('reports a policy violation, a failed request and a request to another host', async () => {
    const { complaints, close } = await visit(`http://127.0.0.1:${server.port}/`);
    const has = (start: string) => complaints.some((complaint) => complaint.startsWith(start));
    expect({
      violation: has('style-src'),
      failed: has('failed: http://localhost:9/'),
      otherHost: has('other host: http://localhost:9/'),
    }).toEqual({ violation: true, failed: true, otherHost: true });
    await close();
  });
});
