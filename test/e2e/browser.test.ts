import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { emptyFolder } from '../support/empty-folder.ts';
import { createLinkedSite, type LinkedSite } from '../support/linked-site.ts';
import { elementsOf } from '../support/page.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SCRIPT = `<script>document.title='ran'</script><svg/onload="document.title='ran'">`;

let site: LinkedSite;
let profile: string;
beforeAll(async () => {
  site = await createLinkedSite();
  profile = await emptyFolder();
});
afterAll(async () => {
  await site.stop();
});

/** The page as it is in Chromium after everything has run, and what the console says. */
async function open(address: string): Promise<{ html: string; complaints: string[] }> {
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-logging=stderr'];
  const command = ['chromium', ...options, `--user-data-dir=${profile}`, '--dump-dom', address];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe', timeout: 20_000 });
  const [html, log] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(0);
  return { html, complaints: log.split('\n').filter((line) => line.includes('CONSOLE')) };
}

describe('Chromium', () => {
  it('reports the violation of a policy', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="style-src 'none'">`;
    const { complaints } = await open(`data:text/html,${encodeURIComponent(`${policy}<style>p{}</style>`)}`);
    expect(complaints).toHaveLength(1);
  });

  it('shows a node without a complaint, and runs nothing that is stored in it', async () => {
    const node = await site.node({
      title: ['Moon & <i>Half</i> Dome'],
      field_abstract: [{ value: `<p>Black &amp; <strong>white</strong></p>${SCRIPT}`, format: 'basic_html' }],
      field_description: [SCRIPT],
      field_alt_title: [SCRIPT, '"onmouseover="x()'],
    });
    const { html, complaints } = await open(`${site.repository.url}/node/${node}`);
    expect(elementsOf(html, 'title').map(({ text }) => text)).toEqual(['Moon & <i>Half</i> Dome · Repository']);
    expect(complaints).toEqual([]);
  });

  it('signs in where it is asked to, and shows the picture', async () => {
    const hidden = await site.node({ title: ['Secret'] });
    await site.changeNode(hidden, { status: [false] });
    const { path } = await site.picture(hidden, ORIGINAL);
    const address = `${site.repository.url.replace('://', '://loader:loader@')}/node/${hidden}`;
    const { html, complaints } = await open(address);
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual(['Secret']);
    expect(new Set(elementsOf(html, 'img').map(({ attributes }) => attributes.src))).toEqual(new Set([path]));
    expect(complaints).toEqual([]);
  });

  it('shows how the API is described without a complaint', async () => {
    const { html, complaints } = await open(`${site.repository.url}/openapi`);
    expect(elementsOf(html, 'h1')).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});
