import { createHash } from 'node:crypto';
import { ServiceError } from '../../base/errors.ts';
import type { FileRow } from '../../database/schema/files.ts';
import { type Schemes, storageOf } from '../../repository/files/scheme.ts';
import type { CachedFile, ImageCache } from './image-cache.ts';
import type { ResponsePlan } from './plan-response.ts';
import type { ResolvedRequest, Size } from './resolve-request.ts';
import type { ImageClient } from './shared-computations.ts';

/** The type that the commands of config/processor.yaml for computed images make. */
export const COMPUTED_TYPE = 'application/vnd.repo.image';
/** Changes with the meaning of the options below, so that older results are not found. */
const EDITION = 2;
const SIZE_OPTIONS = ['--size-only'];
const MAX_SIZE_BYTES = 200;
const PAGES_OPTIONS = ['--pages'];
/** A thousand lines with two numbers. */
const MAX_PAGES_BYTES = 12_000;

/** Computes images with the program of this machine. */
export interface ImageComputer {
  /** True if the program is installed. */
  readonly isAvailable: boolean;
  /** True if the programs for pages of PDF are installed. */
  readonly readsPages: boolean;
  /**
   * Pipes a file through the command for its type with options, and returns its output. Throws a ServiceError if it fails,
   * takes too long or cannot begin in time. The signal ends the command.
   */
  compute(
    file: FileRow,
    body: Blob | ReadableStream<Uint8Array>,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
}

/** Computes images once, and keeps them in a cache. */
export interface ComputedImages {
  readonly isAvailable: boolean;
  readonly readsPages: boolean;
  /** Returns the result of a plan, from the cache or by the command, which ends when all of its clients have left. */
  read(
    plan: Extract<ResponsePlan, { kind: 'computed' }>,
    request: ResolvedRequest,
    client: ImageClient,
  ): Promise<CachedFile>;
  /** Returns the size of an image as a viewer shows it, in the same way. */
  readSize(file: FileRow, client: ImageClient): Promise<Size>;
  /** Returns the sizes of the pages of a PDF, of the first thousand if it has more, in the same way. */
  readPages(file: FileRow, client: ImageClient): Promise<readonly Size[]>;
}

export function createComputedImages(services: Schemes, computer: ImageComputer, cache: ImageCache): ComputedImages {
  async function compute(file: FileRow, options: readonly string[], client: ImageClient): Promise<CachedFile> {
    const key = createHash('sha256')
      .update([EDITION, file.sha256, ...options].join(' '))
      .digest('hex');
    return cache.read(key, client, async (signal) => {
      const body = await storageOf(services, file).storage.read(file.storageKey, undefined, file.filesize);
      return computer.compute(file, body, options, signal);
    });
  }
  return {
    get isAvailable() {
      return computer.isAvailable;
    },
    get readsPages() {
      return computer.readsPages;
    },
    read: ({ file, region, size, page }, request, client) =>
      compute(file, [...pageOptions(page), ...optionsOf(region, size, request)], client),
    async readSize(file, client) {
      const computed = await compute(file, SIZE_OPTIONS, client);
      const text = await new Response(computed.open()).text();
      const [, width, height] = /^(\d{1,9}) (\d{1,9})\n?$/.exec(text.slice(0, MAX_SIZE_BYTES)) ?? [];
      if (width === undefined || Number(width) === 0 || Number(height) === 0)
        throw new ServiceError('command-failed', 'The size of the image cannot be determined.', { cause: text });
      return { width: Number(width), height: Number(height) };
    },
    async readPages(file, client) {
      const computed = await compute(file, PAGES_OPTIONS, client);
      const text = await new Response(computed.open()).text();
      const lines = text.slice(0, MAX_PAGES_BYTES).matchAll(/^(\d{1,5}) (\d{1,5})$/gm);
      return Array.from(lines, ([, width, height]) => ({ width: Number(width), height: Number(height) }));
    },
  };
}

const pageOptions = (page: number | undefined) => (page === undefined ? [] : ['--page', String(page)]);

/** Returns the options of the command. Their values have no characters that `X-Repo-Args` rejects. */
function optionsOf(
  region: { x: number; y: number; width: number; height: number } | undefined,
  size: Size,
  { isMirrored, rotation, quality, format }: ResolvedRequest,
): string[] {
  return [
    ...(region === undefined ? [] : ['--region', [region.x, region.y, region.width, region.height].join(':')]),
    '--size',
    `${size.width}:${size.height}`,
    ...(isMirrored ? ['--mirror'] : []),
    ...(rotation === 0 ? [] : ['--rotate', String(rotation)]),
    ...(quality === 'default' || quality === 'color' ? [] : ['--quality', quality]),
    '--format',
    format,
  ];
}
