import { MAX_FILES } from '../files/list-folder.ts';

/** How much an archive may hold. */
export interface ZipLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** How many times its own size an archive may hold: no collection comes near it, and a bomb is far above. */
  readonly maxRatio: number;
}

export const DEFAULT_ZIP_LIMITS: ZipLimits = { maxEntries: MAX_FILES, maxBytes: 4 * 1024 ** 4, maxRatio: 200 };
/** Below it nobody minds how well something is packed. */
export const HARMLESS_BYTES = 64 * 1024 * 1024;
