import { chmod, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Makes the executables: `bun src/build/compile.ts` for this machine, `--release` for every platform
 * with a SHA256SUMS file beside them. The runtimes of other platforms come from the package registry.
 */

const DIST = 'dist';

/** Every platform that a release is for, by the name in its file. */
const RELEASE_TARGETS: Record<string, Bun.Build.CompileTarget> = {
  'repo-linux-x64': 'bun-linux-x64',
  'repo-linux-x64-musl': 'bun-linux-x64-musl',
  'repo-linux-arm64': 'bun-linux-arm64',
  'repo-linux-arm64-musl': 'bun-linux-arm64-musl',
  'repo-macos-arm64': 'bun-darwin-arm64',
  'repo-macos-x64': 'bun-darwin-x64',
  'repo-windows-x64.exe': 'bun-windows-x64',
};

/**
 * Room for a request head. Bun's default is 16 KiB; an event as base64 with a token beside it may be
 * longer, and a head beyond the processor's own limits should be refused with a sentence (400), not
 * by the parser.
 */
const MAX_REQUEST_HEAD_BYTES = 2 * 1024 * 1024;

async function compile(outfile: string, target?: Bun.Build.CompileTarget): Promise<void> {
  await Bun.build({
    entrypoints: ['src/main.ts'],
    compile: {
      outfile,
      ...(target && { target }),
      execArgv: [`--max-http-header-size=${MAX_REQUEST_HEAD_BYTES}`],
      // Neither a .env file nor a bunfig.toml of the folder it is started in is any of its business.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    bytecode: true,
    format: 'esm',
    minify: { syntax: true, whitespace: true, identifiers: false },
    sourcemap: 'none',
  });
  await chmod(outfile, 0o755);
  console.log(`${outfile}  ${(Bun.file(outfile).size / 1e6).toFixed(0)} MB`);
}

async function sha256(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(file).stream()) hash.update(chunk);
  return hash.digest('hex');
}

const { values } = parseArgs({ options: { release: { type: 'boolean', default: false } } });
await mkdir(DIST, { recursive: true });
if (values.release) {
  const folder = join(DIST, 'release');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const sums: string[] = [];
  for (const [name, target] of Object.entries(RELEASE_TARGETS)) {
    const outfile = join(folder, name);
    await compile(outfile, target);
    sums.push(`${await sha256(outfile)}  ${basename(outfile)}\n`);
  }
  await Bun.write(join(folder, 'SHA256SUMS'), sums.join(''));
  console.log(`${folder}/SHA256SUMS`);
} else {
  await compile(join(DIST, 'repo'));
}
