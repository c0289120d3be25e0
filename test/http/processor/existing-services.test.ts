import { afterAll, describe, expect, it } from 'bun:test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestProcessor, type TestProcessor } from '../../support/test-processor.ts';

/*
 * The services that users of the original run: crayfits, homarus, houdini, hypercube, mergepdf and transcriber of
 * Islandora-Devops/isle-buildkit, and the examples that Islandora/scyllaridae has shipped (cache-warmer, cleanpdf,
 * coverpage, curl, ffmpeg, fits, hls, imagemagick, libreoffice, mergepdf, ocrpdf, openai-htr, pandoc, tesseract,
 * whisper). The configurations here are our own, with the same features. Their command prints the arguments and the
 * input that it was given; the original, run beside ours, gave these to its command, unless a line says otherwise.
 */

const folder = await emptyFolder();
const script = join(folder, 'cmd.sh');
await writeFile(
  script,
  '#!/bin/sh\nset -u\nfor word; do printf "[%s]" "$word"; done; printf " auth=%s in=" "$SCYLLARIDAE_AUTH"; cat\n',
);
await chmod(script, 0o755);

const NODE = 'https://repository.example.org/node/1';
const TYPES: Record<string, string> = {
  aac: 'audio/aac',
  doc: 'application/msword',
  html: 'text/html; charset=utf-8',
  jp2: 'image/jp2',
  jpg: 'image/jpeg',
  m3u8: 'application/vnd.apple.mpegurl',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odd: "application/this-type-doesn't-exist",
  ogv: 'video/ogg',
  pdf: 'application/pdf',
  rst: 'text/x-rst',
  tif: 'image/tiff',
  typ: 'application/x-typst',
  bad: 'text/pl@in',
};
const source = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => new Response('file', { headers: { 'Content-Type': TYPES[url.split('.').pop() ?? ''] ?? '' } }),
});
const at = (name: string) => `http://127.0.0.1:${source.port}/${name}`;

process.env.REPO_TEST_SERVICE_URI = 'http://fits.example/fits/examine';
const ANY = ['"*"'];
const config = (allowed: readonly string[], args: string, more = '') =>
  `allowedMimeTypes: [${allowed.join(', ')}]\n${more}cmdByMimeType:\n  default: { cmd: ${script}, args: [${args}] }\n`;
const EXTENSIONS = '"%source-mime-ext", "%destination-mime-ext"';

const SERVICES = {
  fits: config(ANY, '-X, POST, -F, "datafile=@-", "${REPO_TEST_SERVICE_URI}"'),
  homarus: config(
    ['audio/*', 'video/*', 'image/jpeg', 'image/png'],
    `${EXTENSIONS}, "%canonical", "%args"`,
    'mimeTypeFromDestination: true\n',
  ),
  houdini: config(['application/pdf', 'image/*'], `${EXTENSIONS}, "%args"`),
  hypercube: `${config(['application/pdf', 'image/*'], '"%source-mime-ext", "%args"')}  application/pdf: { cmd: ${script}, args: ["%args", "-", "-"] }\n`,
  mergepdf: config(ANY, '"%canonical", "%args"'),
  transcriber: config(['application/vnd.apple.mpegurl', 'audio/*', 'video/*'], '"%source-uri"'),
  hls: config(['audio/*', 'video/*'], '"%source-mime-ext", "%canonical"'),
  cacheWarmer: config(ANY, '"%target"'),
  pandoc: config(
    ['text/*', 'application/x-typst', 'application/msword'],
    '-f, "%source-mime-pandoc", -t, "%destination-mime-pandoc"',
  ),
  put: config(ANY, '"%destination-uri", "%file-upload-uri", "to=%canonical"'),
  plain: `forwardAuth: true\njwksUri: ""\n${config(ANY, '')}`,
  quiet: `forwardAuth: false\nallowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: env } }\n`,
};
type Service = keyof typeof SERVICES;
const running = new Map<Service, Promise<TestProcessor>>();
const startOf = (service: Service) =>
  running.getOrInsertComputed(service, () => createTestProcessor(SERVICES[service]));
afterAll(async () => {
  for (const service of running.values()) await (await service).stop();
  delete process.env.REPO_TEST_SERVICE_URI;
  await source.stop(true);
});

interface ServiceCall {
  /** The name of a file to GET. */
  get?: string;
  /** The type of a file to POST; its text is `body`, or `file`. */
  post?: string;
  body?: string;
  accept?: string;
  args?: string;
  event?: object | string;
  authorization?: string;
}

async function ask(service: Service, { get, post, body, accept, args, event, authorization }: ServiceCall) {
  const { url } = await startOf(service);
  const headers = new Headers();
  const set = (name: string, value: string | undefined) => value !== undefined && headers.set(name, value);
  set('Apix-Ldp-Resource', get && at(get));
  set('Content-Type', post);
  set('Accept', accept);
  set('X-Islandora-Args', args);
  set('X-Islandora-Event', typeof event === 'object' ? Buffer.from(JSON.stringify(event)).toString('base64') : event);
  set('Authorization', authorization);
  const upload = post === undefined ? {} : { method: 'POST', body: body ?? 'file' };
  const response = await fetch(url, { headers, ...upload });
  return { status: response.status, text: await response.text() };
}

const links = [
  { rel: 'alternate', href: `${NODE}?_format=json` },
  { rel: 'canonical', href: NODE },
];
const event = (content: object = {}, target: unknown = 'thumbnail') => ({
  type: 'Activity',
  actor: { id: 'urn:uuid:1' },
  object: { id: 'urn:uuid:2', url: links, isNewVersion: true },
  target,
  attachment: { type: 'Object', content },
});

describe('a service configured like', () => {
  it.each<[Service, ServiceCall, string]>([
    ['fits', { get: 'a.odd' }, '[-X][POST][-F][datafile=@-][http://fits.example/fits/examine] auth= in=file'],
    [
      'fits',
      { post: "application/this-type-doesn't-exist" },
      '[-X][POST][-F][datafile=@-][http://fits.example/fits/examine] auth= in=file',
    ],
    [
      'homarus',
      { get: 'a.mp4', accept: 'image/jpeg', args: '-ss 00:00:01.000 -frames 1 -vf scale=240:-2' },
      '[mp4][jpg][-ss][00:00:01.000][-frames][1][-vf][scale=240:-2] auth= in=file',
    ],
    ['homarus', { get: 'a.mp4', accept: 'image/jpeg', event: event() }, `[mp4][jpg][${NODE}] auth= in=file`],
    [
      'homarus',
      { get: 'a.mp3', accept: 'audio/aac', event: event(), args: '-b 1' },
      `[mp3][m4a][${NODE}][-b][1] auth= in=file`,
    ],
    ['homarus', { post: 'video/ogg', accept: 'video/mp4' }, '[ogg][mp4] auth= in=file'],
    [
      'homarus',
      { event: event({ source_uri: at('a.mp4'), mimetype: 'image/png', args: '-x "y z"' }) },
      `[mp4][png][${NODE}][-x][y z] auth= in=file`,
    ],
    ['houdini', { get: 'a.pdf', accept: 'image/png' }, '[pdf][png] auth= in=file'],
    [
      'houdini',
      { get: 'a.jp2', accept: 'image/jpeg', args: '-thumbnail 100x100' },
      '[jp2][jpg][-thumbnail][100x100] auth= in=file',
    ],
    ['houdini', { post: 'image/jpeg', body: '', accept: 'image/png' }, '[jpg][png] auth= in='],
    ['houdini', { get: 'a.jpg' }, '[jpg][txt] auth= in=file'],
    // The original has tiff here.
    ['houdini', { get: 'a.tif', accept: 'image/jpeg' }, '[tif][jpg] auth= in=file'],
    ['hypercube', { get: 'a.pdf', accept: 'text/plain' }, '[-][-] auth= in=file'],
    ['hypercube', { get: 'a.pdf', accept: 'text/plain', args: '-l 1' }, '[-l][1][-][-] auth= in=file'],
    ['hypercube', { get: 'a.jpg', accept: 'text/plain', args: '-l deu' }, '[jpg][-l][deu] auth= in=file'],
    ['mergepdf', { event: event() }, `[${NODE}] auth= in=`],
    ['mergepdf', { event: event(), args: 'eng', authorization: 'Bearer abc' }, `[${NODE}][eng] auth=Bearer abc in=`],
    [
      'mergepdf',
      { event: event({ source_uri: '', destination_uri: '', args: '', mimetype: 'application/pdf' }) },
      `[${NODE}] auth= in=`,
    ],
    ['mergepdf', { event: { target: 'x' }, args: 'eng' }, '[eng] auth= in='],
    ['mergepdf', { event: event({ source_mimetype: 'application/pdf' }) }, `[${NODE}] auth= in=`],
    ['transcriber', { get: 'a.mp3', accept: 'text/vtt' }, `[${at('a.mp3')}] auth= in=file`],
    ['transcriber', { get: 'a.m3u8' }, `[${at('a.m3u8')}] auth= in=file`],
    ['transcriber', { post: 'audio/mpeg' }, '[] auth= in=file'],
    ['transcriber', { post: 'audio/mpeg', get: 'a.mp3' }, `[${at('a.mp3')}] auth= in=file`],
    ['hls', { get: 'a.ogv', event: event() }, `[ogg][${NODE}] auth= in=file`],
    ['hls', { get: 'a.aac' }, '[m4a] auth= in=file'],
    ['cacheWarmer', { event: event({}, 'all') }, '[all] auth= in='],
    ['cacheWarmer', { event: event({}, 'two words') }, '[two words] auth= in='],
    ['cacheWarmer', { event: event({}, `${NODE}?a=1&b=%20`) }, `[${NODE}?a=1&b=%20] auth= in=`],
    ['cacheWarmer', { event: event({}, null) }, '[] auth= in='],
    ['pandoc', { get: 'a.md', accept: 'text/x-rst' }, '[-f][markdown][-t][rst] auth= in=file'],
    ['pandoc', { get: 'a.rst', accept: 'application/x-typst' }, '[-f][rst][-t][typst] auth= in=file'],
    ['pandoc', { get: 'a.typ', accept: 'application/msword' }, '[-f][typst][-t][doc] auth= in=file'],
    [
      'pandoc',
      { get: 'a.html', accept: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
      '[-f][html][-t][docx] auth= in=file',
    ],
    // The original replaces no variable inside a longer argument.
    [
      'put',
      { event: event({ destination_uri: `${NODE}/media/file/1`, file_upload_uri: 'private://a b.jpg' }) },
      `[${NODE}/media/file/1][private://a b.jpg][to=${NODE}] auth= in=`,
    ],
    ['put', { get: 'a.jpg' }, '[][][to=] auth= in=file'],
    ['plain', { post: 'application/x-www-form-urlencoded' }, ' auth= in=file'],
    ['plain', { get: 'a.doc', authorization: 'Basic YTpi' }, ' auth=Basic YTpi in=file'],
  ])('%s passes the same to its command: %j', async (service, asked, expected) => {
    expect(await ask(service, asked)).toEqual({ status: 200, text: expected });
  });

  it.each<[Service, ServiceCall, number]>([
    ['fits', {}, 400],
    // The original accepts the next two.
    ['fits', { get: 'a.bad' }, 400],
    ['fits', { post: 'text/pl@in' }, 400],
    ['homarus', { get: 'a.md', accept: 'text/plain' }, 400],
    ['homarus', { event: event(), accept: 'image/jpeg' }, 400],
    ['houdini', { get: 'a.mp4', accept: 'image/jpeg' }, 400],
    ['houdini', { get: 'a.jpg', accept: 'image/jpeg', args: '-thumbnail 300x300>' }, 400],
    ['houdini', { get: 'a.jpg', accept: 'image/jpeg', args: '"open' }, 400],
    ['houdini', { get: 'a.jpg', accept: 'application/x-nobody-knows' }, 400],
    ['houdini', { event: event({ source_mimetype: 'video/mp4' }), accept: 'image/jpeg' }, 400],
    ['hypercube', { post: 'text/plain' }, 400],
    ['transcriber', { get: 'a.jpg' }, 400],
  ])('%s rejects the same: %j', async (service, asked, status) => {
    expect((await ask(service, asked)).status).toBe(status);
  });

  it('one without forwardAuth passes no credentials to its command', async () => {
    const { text } = await ask('quiet', { post: 'text/plain', authorization: 'Bearer of-the-caller' });
    expect(text).toContain('PATH=');
    expect(text).not.toMatch(/AUTH=|of-the-caller/);
  });
});
