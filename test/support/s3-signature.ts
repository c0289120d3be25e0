import { createHash, createHmac } from 'node:crypto';

/** A request as it came over the wire. */
export interface SignedRequest {
  method: string;
  /** Path and query, as they were sent. */
  target: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Verifier {
  region: string;
  /** Secret by access key. */
  keys: ReadonlyMap<string, string>;
  sessionToken: string | undefined;
  now: number;
}

export interface Refusal {
  status: number;
  code: string;
}

const MAX_SKEW_MS = 15 * 60_000;

/**
 * What an S3 server says against the signature of a request (AWS, "Authenticating Requests: Signature Version 4"),
 * computed from the specification alone; undefined if it is right.
 */
export function refusalOf(request: SignedRequest, verifier: Verifier): Refusal | undefined {
  const [path = '', search = ''] = request.target.split('?', 2);
  const query = new Map(
    search
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', value = ''] = pair.split('=', 2);
        return [decodeURIComponent(name), decodeURIComponent(value)];
      }),
  );
  const isPresigned = query.has('X-Amz-Signature');
  const said = isPresigned ? fromQuery(query) : fromHeader(request.headers);
  if (said === undefined) return { status: 403, code: 'AccessDenied' };
  const [accessKey = '', day = '', region = '', service = ''] = said.credential.split('/');
  const secret = verifier.keys.get(accessKey);
  if (secret === undefined) return { status: 403, code: 'InvalidAccessKeyId' };
  if (region !== verifier.region) return { status: 400, code: 'AuthorizationHeaderMalformed' };
  if (said.token !== verifier.sessionToken) return { status: 400, code: 'InvalidToken' };
  const at = Date.parse(said.date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (isPresigned) {
    if (verifier.now > at + Number(query.get('X-Amz-Expires')) * 1000) return { status: 403, code: 'AccessDenied' };
  } else if (!(Math.abs(verifier.now - at) < MAX_SKEW_MS)) return { status: 403, code: 'RequestTimeTooSkewed' };
  const hash = isPresigned ? 'UNSIGNED-PAYLOAD' : (request.headers['x-amz-content-sha256'] ?? '');
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(request.body)) {
    return { status: 400, code: 'XAmzContentSHA256Mismatch' };
  }
  query.delete('X-Amz-Signature');
  const names = said.signedHeaders.split(';');
  if (!names.includes('host')) return { status: 403, code: 'AccessDenied' };
  const canonical = [
    request.method,
    path.split('/').map(decodeURIComponent).map(encode).join('/'),
    [...query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    said.signedHeaders,
    hash,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', said.date, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join(
    '\n',
  );
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const isRight = hmac(key, text).toString('hex') === said.signature;
  return isRight ? undefined : { status: 403, code: 'SignatureDoesNotMatch' };
}

interface Said {
  credential: string;
  signedHeaders: string;
  signature: string;
  date: string;
  token: string | undefined;
}

function fromHeader(headers: Record<string, string>): Said | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=(.+?), ?SignedHeaders=(.+?), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [, credential, signedHeaders, signature] = parts;
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined;
  const date = headers['x-amz-date'] ?? '';
  return { credential, signedHeaders, signature, date, token: headers['x-amz-security-token'] };
}

function fromQuery(query: Map<string, string>): Said {
  const value = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  return {
    credential: value('Credential'),
    signedHeaders: value('SignedHeaders'),
    signature: value('Signature'),
    date: value('Date'),
    token: query.get('X-Amz-Security-Token'),
  };
}

function encode(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
