import { ServiceError } from '../../base/errors.ts';

/** A client that waits for an image. */
export interface ImageClient {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  readonly network: string;
  /** Receives the milliseconds of work that began for the client, without waiting. */
  readonly spent?: ((milliseconds: number) => void) | undefined;
  /** Admits the work. Rejects if the client may not have it. */
  readonly admitted?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** The images of one network that wait for the one that is computed for it. More are refused. */
const MAX_WAITING = 32;
/** The maximum time of this wait, in milliseconds. */
const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_S = 5;

/** Work that may have several clients. */
interface Computation {
  /** The numbers of waiting clients by their network. */
  readonly clients: Map<string, number>;
  readonly control: AbortController;
  /** Settles with the work. */
  readonly done: Promise<void>;
  begin(): void;
  refuse(error: ServiceError): void;
  /** The network for which it is computed; undefined while it waits. */
  slot: string | undefined;
}

/**
 * Computations by their keys: each is done once for all of its clients, one at a time for the network of a client, and ends
 * when the last client has left.
 */
export class SharedComputations {
  readonly #known = new Map<string, Computation>();
  /** Those that have begun and not ended, also without clients. */
  readonly #active = new Set<Computation>();

  /**
   * Waits until the work of a key is done, which begins unless it is under way. Rejects with the error of the work, and with
   * `client-gone` or, if too many computations of the network wait or for too long, `over-capacity`.
   */
  async run(
    key: string,
    { signal, network }: ImageClient,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (signal.aborted) throw clientGone();
    const computation = this.#known.get(key) ?? this.#create(key, network, work);
    const { clients } = computation;
    clients.set(network, (clients.get(network) ?? 0) + 1);
    this.#beginWaiting();
    try {
      await unlessAborted(computation.done, signal);
    } finally {
      const others = (clients.get(network) ?? 0) - 1;
      if (others > 0) clients.set(network, others);
      else clients.delete(network);
      if (clients.size === 0) this.#abandon(key, computation);
      else if (computation.slot === network && !clients.has(network)) this.#passOn(computation);
    }
  }

  #create(key: string, network: string, work: (signal: AbortSignal) => Promise<void>): Computation {
    const waiting = [...this.#known.values()].filter(({ slot, clients }) => slot === undefined && clients.has(network));
    if (waiting.length >= MAX_WAITING) throw tooMany();
    const control = new AbortController();
    const begun = Promise.withResolvers<void>();
    const late = setTimeout(() => begun.reject(tooMany()), MAX_WAIT_MS);
    const computation: Computation = {
      clients: new Map(),
      control,
      slot: undefined,
      begin: begun.resolve,
      refuse: begun.reject,
      done: begun.promise
        .finally(() => clearTimeout(late))
        .then(() => work(control.signal))
        .finally(() => this.#end(key, computation)),
    };
    // Its clients have the error, if any is left.
    computation.done.catch(() => {});
    this.#known.set(key, computation);
    return computation;
  }

  /** Begins those whose turn it is, in the order in which they were asked for. */
  #beginWaiting(): void {
    for (const computation of this.#known.values()) {
      if (computation.slot !== undefined) continue;
      const free = this.#freeNetworkOf(computation);
      if (free === undefined) continue;
      computation.slot = free;
      this.#active.add(computation);
      computation.begin();
    }
  }

  #freeNetworkOf({ clients }: Computation): string | undefined {
    const busy = new Set(Array.from(this.#active, ({ slot }) => slot));
    return [...clients.keys()].find((network) => !busy.has(network));
  }

  /** Counts a computation for another one of its networks, since that for which it began has left. */
  #passOn(computation: Computation): void {
    const [other] = computation.clients.keys();
    computation.slot = this.#freeNetworkOf(computation) ?? other;
    this.#beginWaiting();
  }

  #end(key: string, computation: Computation): void {
    this.#forget(key, computation);
    this.#active.delete(computation);
    this.#beginWaiting();
  }

  /** The last client has left. A later one begins anew. */
  #abandon(key: string, computation: Computation): void {
    this.#forget(key, computation);
    computation.control.abort();
    computation.refuse(clientGone());
  }

  #forget(key: string, computation: Computation): void {
    if (this.#known.get(key) === computation) this.#known.delete(key);
  }
}

/** Rejects with `client-gone` when the signal aborts before the work is done. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(clientGone());
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function clientGone(): ServiceError {
  return new ServiceError('client-gone', 'The client has left before the image was computed.');
}

function tooMany(): ServiceError {
  return new ServiceError('over-capacity', 'Too many images are being computed for your network. Try again later.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}
