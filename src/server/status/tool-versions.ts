import { environmentForPrograms } from '../../base/env.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import { readLimited } from '../../base/read-limited.ts';

/** A program that commands of the processor call. */
export interface CommandProgram {
  readonly name: string;
  /** Undefined for a missing program. */
  readonly path: string | undefined;
  /** The packages that contain it, in words. */
  readonly packages: string | undefined;
}

/** Returns the programs of the processor's commands as they are now. */
export type ListPrograms = () => readonly CommandProgram[];

/** The argument that makes a program print its version. Others are never started: they might do their work. */
const VERSION_ARGUMENT: Readonly<Record<string, string>> = {
  bash: '--version',
  convert: '-version',
  exiftool: '-ver',
  ffmpeg: '-version',
  file: '--version',
  pandoc: '--version',
  pdfinfo: '-v',
  pdftoppm: '-v',
  pdftotext: '-v',
  prlimit: '--version',
  soffice: '--version',
  tar: '--version',
  tesseract: '--version',
  vips: '--version',
  vipsheader: '--version',
};
const AT_ONCE = 2;
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
/** A version is read again after this time: a package may have been updated. */
const KEPT_MS = 3_600_000;
const NUMBER = /\d+(?:\.\d+)+(?:-\d+)?/;

/** Reads the versions of programs in the background, so that no request waits for them. */
export class ToolVersions {
  readonly #known = new Map<string, { readonly version: string; readonly at: number }>();
  #reading: Promise<void> | undefined;

  /** Returns the version of a program, `unknown`, or undefined while it has not been read. */
  get(path: string): string | undefined {
    return this.#known.get(path)?.version;
  }

  /** Begins to read the versions that are missing or old. Resolves when they are read. */
  read(programs: readonly CommandProgram[], now = performance.now()): Promise<void> {
    const wanted = programs.filter(({ path }) => {
      const known = path === undefined ? undefined : this.#known.get(path);
      return path !== undefined && (known === undefined || now - known.at > KEPT_MS);
    });
    if (wanted.length === 0) return this.#reading ?? Promise.resolve();
    this.#reading ??= forEachAtOnce(wanted, AT_ONCE, async ({ name, path = '' }) => {
      const argument = VERSION_ARGUMENT[name];
      const version = argument === undefined ? undefined : await versionOf(path, argument);
      this.#known.set(path, { version: version ?? 'unknown', at: now });
    }).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }
}

/** Runs a program, and returns the first number with a point in its output. Undefined if it fails. */
async function versionOf(path: string, argument: string): Promise<string | undefined> {
  try {
    const child = Bun.spawn([path, argument], {
      env: environmentForPrograms(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const texts = await Promise.all(
      [child.stdout, child.stderr].map((stream) => readLimited(stream, MAX_OUTPUT_BYTES)),
    );
    await child.exited;
    return NUMBER.exec(texts.join('\n'))?.[0];
  } catch {
    // A program that cannot be started has no version: its commands report why they fail.
    return undefined;
  }
}
