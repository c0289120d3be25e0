import type { Random } from '../support/random.ts';
import { basic } from '../support/test-repository.ts';

/** The traffic of a soak: readers 90 %, uploads 5 %, edits 5 %, of nodes chosen at random. */

const MAX_UPLOAD_BYTES = 60_000;
const MIN_UPLOAD_BYTES = 500;
/** Every hundredth upload is a photograph. */
const PHOTOGRAPH_BYTES = 1024 ** 2;

export const headers = { Authorization: basic('admin') };

/** What the requests are for. */
export interface Site {
  readonly url: string;
  readonly firstNode: number;
  readonly nodes: number;
  readonly thumbnails: readonly string[];
  readonly originalFile: number;
}

interface TrafficRequest {
  readonly url: string;
  readonly init: RequestInit;
  /** The statuses that are right. */
  readonly right: readonly number[];
}

let uploads = 0;
let edits = 0;

/** Returns one request of the traffic. */
export function nextRequest(site: Site, random: Random): TrafficRequest {
  const node = () => site.firstNode + random.below(site.nodes);
  const read = (path: string, accept = 'application/json') => ({
    url: `${site.url}/${path}`,
    init: { headers: { Accept: accept } },
    right: [200],
  });
  const share = random.below(100);
  if (share < 25) return read(`node/${node()}`, 'text/html');
  if (share < 50) return read(`node/${node()}?_format=json`);
  if (share < 58) return read(`node/${node()}?_format=jsonld`);
  if (share < 80) return read(site.thumbnails[random.below(site.thumbnails.length)] as string, 'image/png');
  if (share < 85) return read(`search?q=letter+${random.below(site.nodes)}`, 'text/html');
  // Only the first nodes have something that a manifest could show.
  if (share < 90) return read(`node/${site.firstNode + random.below(site.thumbnails.length)}/manifest`);
  return share < 95 ? upload(site, node(), random) : edit(site, node());
}

function upload(site: Site, node: number, random: Random): TrafficRequest {
  uploads += 1;
  const bytes =
    uploads % 100 === 0 ? PHOTOGRAPH_BYTES : MIN_UPLOAD_BYTES + random.below(MAX_UPLOAD_BYTES - MIN_UPLOAD_BYTES);
  const file = { 'Content-Type': 'text/plain', 'Content-Location': `public://soak/${uploads}.txt` };
  return {
    url: `${site.url}/node/${node}/media/file/${site.originalFile}`,
    init: { method: 'PUT', headers: { ...headers, ...file }, body: new Uint8Array(bytes).fill(97 + (uploads % 26)) },
    // The second file of a node replaces the first.
    right: [201, 204],
  };
}

function edit(site: Site, node: number): TrafficRequest {
  edits += 1;
  const body = JSON.stringify({
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: `Letter ${edits}, edited` }],
  });
  const init = { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
  return { url: `${site.url}/node/${node}?_format=json`, init, right: [200] };
}

/** Sends a request and reads its answer. Rejects for an answer with another status. */
export async function ask({ url, init, right }: TrafficRequest): Promise<void> {
  const response = await fetch(url, init);
  const body = await response.bytes();
  if (!right.includes(response.status))
    throw new Error(
      `${init.method ?? 'GET'} ${url}: ${response.status} ${new TextDecoder().decode(body.slice(0, 500))}`,
    );
}
