import { issueToken } from '../auth/issue-token.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import { ServiceError } from '../base/errors.ts';
import { COMPUTED_TYPE, type ImageComputer } from '../iiif/image/computed-images.ts';
import { EMBEDDED_ADDRESS } from '../jobs/processor-address.ts';
import { ADMINISTRATOR_ID } from '../repository/actor.ts';
import { ADMINISTRATOR_NAME } from '../repository/setup/first-users.ts';
import type { Processor } from './processor.ts';

/** Maximum time to wait for a slot and for the first bytes, in milliseconds: proxies give up after a minute. */
const WAIT_MS = 55_000;
const RETRY_AFTER_S = 5;
const TOKEN_EXPIRY_S = 120;
/** No account has this version: the repository rejects the token, which is for the processor alone. */
const NO_VERSION = -1;

interface ComputerParts {
  readonly signingKey: SigningKey;
  /** The `iss` of tokens. */
  readonly issuer: string;
}

/** Computes images with the embedded processor, which limits their number, time and memory. */
export function createImageComputer(processor: Processor | undefined, parts: ComputerParts): ImageComputer {
  return {
    get isAvailable() {
      return processor?.offers('image/jpeg', COMPUTED_TYPE) ?? false;
    },
    get readsPages() {
      return processor?.offers('application/pdf', COMPUTED_TYPE) ?? false;
    },
    async compute(file, body, options, client) {
      if (processor === undefined) throw new Error('this process has no processor');
      const late = AbortSignal.timeout(WAIT_MS);
      const signal = AbortSignal.any([late, client]);
      const headers = {
        Authorization: `Bearer ${await tokenFor(parts)}`,
        'Content-Type': file.filemime,
        Accept: COMPUTED_TYPE,
        'X-Repo-Args': options.join(' '),
      };
      const { response, stderrLine } = await processor.call(
        new Request(EMBEDDED_ADDRESS, { method: 'POST', headers, body, signal }),
      );
      if (response.status === 200 && response.body !== null) return response.body;
      await response.body?.cancel();
      throw failureOf(
        response.status,
        late.aborted,
        new Error(stderrLine() ?? `status ${response.status}: ${file.uri}`),
      );
    },
  };
}

function tokenFor({ signingKey, issuer }: ComputerParts): Promise<string> {
  return issueToken(
    {
      uid: ADMINISTRATOR_ID,
      name: ADMINISTRATOR_NAME,
      roles: [],
      credentialsChanged: NO_VERSION,
      issuer,
      now: Date.now(),
      expirySeconds: TOKEN_EXPIRY_S,
    },
    signingKey,
  );
}

function failureOf(status: number, isLate: boolean, cause: Error): ServiceError {
  if (isLate || status === 503)
    return new ServiceError('over-capacity', 'Too many images are being computed. Try again later.', {
      cause,
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    });
  if (status === 504) return new ServiceError('timed-out', 'Computing the image took too long.', { cause });
  return new ServiceError('command-failed', 'The image cannot be computed. Its file may be damaged.', { cause });
}
