import { ServiceError } from './errors.ts';

/** The slowest that an upload may be: so many bytes a second, on average over a period. */
export interface UploadRate {
  /** 0: uploads may be as slow as they like. */
  readonly bytesPerSecond: number;
  readonly periodSeconds: number;
}

export const DEFAULT_UPLOAD_RATE: UploadRate = { bytesPerSecond: 1024, periodSeconds: 300 };

/** How often in a period the rate is looked at. */
const LOOKS = 30;

/** Measures how fast a sender is. */
export interface RateWatch {
  /** Waits for the sender's next bytes. Only such waiting counts: while we are slow ourselves, nobody else is. */
  listen<T>(next: Promise<T>): Promise<T>;
  add(bytes: number): void;
  end(): void;
}

/** Watches one upload. Tells `onSlow` once, of the failure that a slow one is; to be ended with the upload. */
export function watchRate(rate: UploadRate | undefined, onSlow: (failure: ServiceError) => void): RateWatch {
  if (!rate?.bytesPerSecond) return { listen: (next) => next, add() {}, end() {} };
  const { bytesPerSecond, periodSeconds } = rate;
  const periodMs = periodSeconds * 1_000;
  /** What came since the look before, and how long it was waited for. The last ones make a period. */
  let looks: { bytes: number; waitedMs: number }[] = [];
  let bytes = 0;
  let waitedMs = 0;
  let listeningSince: number | undefined;
  const timer = setInterval(look, periodMs / LOOKS);
  return {
    async listen(next) {
      listeningSince = performance.now();
      try {
        return await next;
      } finally {
        waitedMs += performance.now() - listeningSince;
        listeningSince = undefined;
      }
    },
    add(count) {
      bytes += count;
    },
    end: () => clearInterval(timer),
  };

  function look(): void {
    if (listeningSince !== undefined) {
      const now = performance.now();
      waitedMs += now - listeningSince;
      listeningSince = now;
    }
    looks.push({ bytes, waitedMs });
    bytes = 0;
    waitedMs = 0;
    while (totalOf(looks.slice(1), 'waitedMs') >= periodMs) looks = looks.slice(1);
    if (totalOf(looks, 'waitedMs') < periodMs || totalOf(looks, 'bytes') >= bytesPerSecond * periodSeconds) return;
    clearInterval(timer);
    onSlow(tooSlow(rate as UploadRate));
  }
}

function totalOf<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

function tooSlow({ bytesPerSecond, periodSeconds }: UploadRate): ServiceError {
  const message = `The body of the request came too slowly: fewer than ${bytesPerSecond} bytes a second over ${periodSeconds} seconds.`;
  // What is left of the body would be taken for the next request.
  return new ServiceError('too-slow', message, { headers: { Connection: 'close' } });
}
