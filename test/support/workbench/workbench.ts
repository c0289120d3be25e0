import { sendOnce, type WireAnswer, type WireRequest } from './wire.ts';

export interface WorkbenchOptions {
  /** `host` of its configuration, without a slash at the end. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  /** `content_type`; `islandora_object` if left out. */
  readonly contentType?: string;
  /** `standalone_media_url`: media are at `/media/1`, not at `/media/1/edit`. */
  readonly standaloneMediaUrl?: boolean;
  /** `use_workbench_permissions`: fields are asked for at `node_actions`. */
  readonly useWorkbenchPermissions?: boolean;
}

export interface SendOptions {
  readonly json?: unknown;
  readonly bytes?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Without credentials, as the addresses of files are asked for. */
  readonly isAnonymous?: boolean | undefined;
  readonly followsRedirects?: boolean | undefined;
  /** Of POST and PATCH that are opened in streaming mode the body is often left unread. */
  readonly isBodyRead?: boolean | undefined;
}

/** One answer, with what Workbench makes of its body. */
export interface WorkbenchAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Throws as `json.loads` does for what is no JSON. */
  json(): unknown;
}

const USER_AGENT = 'Islandora Workbench';
const MAX_REDIRECTS = 30;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * One run of Islandora Workbench as a server sees it: a connection per request, Basic auth, the headers of Python's
 * `requests`, answers to GET and HEAD with 200 remembered, redirects followed. Throws for 5xx: Workbench would send
 * the same request three more times, POST or not, and then exit.
 */
export class Workbench {
  /** The sent requests: method, path with query, status. */
  readonly log: { method: string; path: string; status: number }[] = [];
  readonly #remembered = new Map<string, WorkbenchAnswer>();

  constructor(readonly options: WorkbenchOptions) {}

  /** The suffix of the address of a media after its id. */
  get edit(): string {
    return this.options.standaloneMediaUrl ? '' : '/edit';
  }

  /** Forgets what was remembered: nothing is, before the first request has been answered. */
  forget(): void {
    this.#remembered.clear();
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<WorkbenchAnswer> {
    const { host } = this.options;
    // The rule by which Workbench tells addresses of the site from paths.
    let url = new URL(path.includes(host) ? path : `${host}${path.startsWith('/') ? '' : '/'}${path}`);
    const isRead = method === 'GET' || method === 'HEAD';
    const key = `${method} ${url} ${options.isAnonymous === true}`;
    const known = isRead ? this.#remembered.get(key) : undefined;
    if (known !== undefined) return known;
    let sentAs = method;
    for (let count = 0; ; count++) {
      const answer = answered(await sendOnce(this.#request(sentAs, url, options)));
      this.log.push({ method: sentAs, path: url.pathname + url.search, status: answer.status });
      if (answer.status >= 500)
        throw new Error(`${sentAs} ${url}: ${answer.status} ${answer.text}: sent three more times, then it exits`);
      const location = answer.headers.get('location');
      if (!REDIRECTS.includes(answer.status) || location === null || options.followsRedirects === false) {
        if (isRead && answer.status === 200) this.#remembered.set(key, answer);
        return answer;
      }
      if (count === MAX_REDIRECTS) throw new Error(`${method} ${path}: TooManyRedirects`);
      url = new URL(location, url);
      if (answer.status < 307 && sentAs !== 'HEAD') sentAs = 'GET';
    }
  }

  #request(method: string, url: URL, options: SendOptions): WireRequest {
    const { json, bytes, headers = {}, isAnonymous = false, isBodyRead = true } = options;
    const body = method === 'GET' || method === 'HEAD' ? undefined : (bytes ?? jsonBody(json));
    const { username, password } = this.options;
    // `requests` writes names and passwords in Latin-1.
    const credentials = `Basic ${Buffer.from(`${username}:${password}`, 'latin1').toString('base64')}`;
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
    // `requests` looks how long a file is, and takes 0 for "not known".
    const isUnknown = bytes?.length === 0;
    const length = { 'Content-Length': String(body?.length ?? 0) };
    const framing = isUnknown ? { 'Transfer-Encoding': 'chunked' } : length;
    return {
      method,
      url,
      isBodyRead,
      headers: Object.entries({
        'User-Agent': USER_AGENT,
        'Accept-Encoding': 'gzip, deflate',
        Accept: '*/*',
        Connection: 'keep-alive',
        ...type,
        ...headers,
        ...(method !== 'GET' && method !== 'HEAD' && framing),
        ...(!isAnonymous && { Authorization: credentials }),
      }),
      body: isUnknown ? Buffer.from('0\r\n\r\n') : body,
    };
  }
}

/** JSON as Python writes it: ASCII alone. */
function jsonBody(json: unknown): Buffer | undefined {
  if (json === undefined) return undefined;
  const text = JSON.stringify(json).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(text, 'latin1');
}

function answered({ status, headers, body }: WireAnswer): WorkbenchAnswer {
  const text = body?.toString('utf8') ?? '';
  return {
    status,
    headers,
    text,
    json() {
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw new Error(`${status}: JSONDecodeError of ${JSON.stringify(text.slice(0, 200))}`, { cause });
      }
    },
  };
}
