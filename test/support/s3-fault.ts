import type { IncomingMessage, ServerResponse } from 'node:http';

/** A fault of a request, instead of its answer or in addition to it. */
export type Fault =
  /** It is answered with an error, and not done. */
  | { kind: 'answer'; status: number; code: string }
  /** It is answered later. */
  | { kind: 'delay'; ms: number }
  /** It is never answered, and not done. */
  | { kind: 'hang' }
  /** The connection is cut, and it is not done. */
  | { kind: 'cut' }
  /** It is done, and the connection is cut instead of the answer. */
  | { kind: 'lose answer' }
  /** Closes the connection after this number of bytes of the response body. */
  | { kind: 'cut answer'; afterBytes: number }
  /** Sends nothing more after this number of bytes of the response body. */
  | { kind: 'silence'; afterBytes: number };

export interface SeenRequest {
  method: string;
  /** The key in the bucket, decoded; empty for the bucket. */
  key: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  bytes: number;
  /** Undefined as long as it is not answered, and if it never is. */
  status: number | undefined;
}

/** Applies a fault to an answer: counts the written bytes, and closes the connection at the point of the fault. */
export function spoil(fault: Fault | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (fault?.kind !== 'lose answer' && fault?.kind !== 'cut answer' && fault?.kind !== 'silence') return;
  const limit = fault.kind === 'lose answer' ? 0 : fault.afterBytes;
  const write = response.write.bind(response) as (chunk: Uint8Array) => boolean;
  let sent = 0;
  const take = (chunk: unknown): boolean => {
    const bytes = Buffer.from((chunk ?? '') as string);
    const fitting = bytes.subarray(0, limit - sent);
    sent += fitting.byteLength;
    return fitting.byteLength === 0 || write(fitting);
  };
  // What was written before is on its way first.
  const finish = () => {
    if (fault.kind !== 'silence') request.socket.destroySoon();
    return response;
  };
  Object.assign(response, {
    write(chunk: unknown) {
      const mayGoOn = take(chunk);
      if (sent >= limit && fault.kind !== 'lose answer') finish();
      return mayGoOn;
    },
    end(chunk: unknown) {
      take(chunk);
      return finish();
    },
  });
}
