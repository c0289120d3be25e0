import { JobFailure } from './job-failure.ts';

/**
 * What `fetch` reports of a connection that never stood: nobody listens, no such host, no way to it, or no
 * agreement on TLS. For any other error the request may have arrived.
 */
const NEVER_CONNECTED = new RegExp(
  '^(ECONNREFUSED|ENOTFOUND|EAI_\\w+|E(HOST|NET)(UNREACH|DOWN)|EADDRNOTAVAIL|EMFILE|ENFILE|FailedToOpenSocket' +
    '|EPROTO|ERR_(TLS|SSL)_\\w+|\\w*CERT\\w*|UNABLE_TO_\\w+|HOSTNAME_MISMATCH)$',
);

/** Of these: what this machine has run out of, whoever was to be asked. */
const OWN_LACK = /^(EMFILE|ENFILE|EADDRNOTAVAIL)$/;

/**
 * The failure that an error of `fetch` is, before any answer of `processor`, as sentences call it. A connection that broke off after it stood uses up
 * an attempt: the job may be what brought the processor down.
 */
export function connectionFailure(processor: string, error: unknown): JobFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const options = { isOfAddress: true, cause: error };
  if (NEVER_CONNECTED.test(code)) {
    return new JobFailure('not-now', `The ${processor} cannot be reached (${code}).`, {
      ...options,
      isUnasked: !OWN_LACK.test(code),
    });
  }
  return new JobFailure('passing', `The ${processor} broke off before it answered (${code}).`, options);
}

/** Too late. Before the first byte the address is to blame, after it the command. */
export function timedOut(processor: string, seconds: number, hasBegun: boolean): JobFailure {
  const what = hasBegun ? 'finish' : 'begin';
  return new JobFailure('passing', `The ${processor} did not ${what} its answer within ${seconds} seconds.`, {
    isOfAddress: !hasBegun,
  });
}

/** An answer that is known to be cut. */
export function brokenOff(processor: string, received: number, cause: unknown): JobFailure {
  return new JobFailure('passing', `The answer of the ${processor} broke off after ${received} bytes.`, {
    status: 200,
    cause,
  });
}

/** Returns the failure of an answer that its processor truncated at `maxOutputBytes`. */
export function cutAtLimit(processor: string, maxBytes: number, cause: unknown): JobFailure {
  const message = `The ${processor} cut its answer: the command wrote more than the ${maxBytes} bytes of its maxOutputBytes.`;
  return new JobFailure('permanent', message, { status: 200, cause });
}
