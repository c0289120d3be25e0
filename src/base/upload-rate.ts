import { ServiceError } from './errors.ts';

/** The minimum rate of an upload, as an average over a period. */
export interface UploadRate {
  /** 0: no minimum. */
  readonly bytesPerSecond: number;
  readonly periodSeconds: number;
}

export const DEFAULT_UPLOAD_RATE: UploadRate = { bytesPerSecond: 1024, periodSeconds: 300 };

/** The number of rate checks in a period. */
const LOOKS = 30;

/** Measures how fast a sender is. */
interface RateWatch {
  /** Waits for the sender's next bytes. Only this wait counts: a delay on our side is not the sender's. */
  listen<T>(next: Promise<T>): Promise<T>;
  add(bytes: number): void;
  end(): void;
}

/** Watches one upload. Calls `onSlow` once if it is too slow. The caller ends the watch with the upload. */
export function watchRate(rate: UploadRate | undefined, onSlow: (failure: ServiceError) => void): RateWatch {
  if (!rate?.bytesPerSecond) return { listen: (next) => next, add() {}, end() {} };
  const { bytesPerSecond, periodSeconds } = rate;
  const periodMs = periodSeconds * 1_000;
  /** The bytes and the wait between one check and the next; the latest ones cover a period. */
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
  // Otherwise the rest of the body would be parsed as the next request.
  return new ServiceError('too-slow', message, { headers: { Connection: 'close' } });
}
