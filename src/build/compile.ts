import { chmod, mkdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createLibsqlPlugin, type NativePackage, nativePackageHere, withAllNativePackages } from './native-packages.ts';

/**
 * Builds the executables: `bun src/build/compile.ts` for this machine, `--release` for all platforms, with a SHA256SUMS
 * file. The runtimes and native packages of other platforms come from the package registry.
 */

const DIST = 'dist';

interface Target {
  runtime: Bun.Build.CompileTarget;
  libsql: NativePackage;
}

/** The platforms of a release, by file name. */
const RELEASE_TARGETS: Record<string, Target> = {
  'repo-linux-x64': { runtime: 'bun-linux-x64', libsql: '@libsql/linux-x64-gnu' },
  'repo-linux-x64-musl': { runtime: 'bun-linux-x64-musl', libsql: '@libsql/linux-x64-musl' },
  'repo-linux-arm64': { runtime: 'bun-linux-arm64', libsql: '@libsql/linux-arm64-gnu' },
  'repo-linux-arm64-musl': { runtime: 'bun-linux-arm64-musl', libsql: '@libsql/linux-arm64-musl' },
  'repo-macos-arm64': { runtime: 'bun-darwin-arm64', libsql: '@libsql/darwin-arm64' },
  'repo-macos-x64': { runtime: 'bun-darwin-x64', libsql: '@libsql/darwin-x64' },
  'repo-windows-x64.exe': { runtime: 'bun-windows-x64', libsql: '@libsql/win32-x64-msvc' },
};

/**
 * The maximum size of a request head. An event as base64 with a token may exceed Bun's default of 16 KiB. The processor
 * rejects a head above its own limits with a message (400), which the parser cannot.
 */
const MAX_REQUEST_HEAD_BYTES = 2 * 1024 * 1024;

async function compile(outfile: string, libsql: Bun.BunPlugin, runtime?: Bun.Build.CompileTarget): Promise<void> {
  await Bun.build({
    // A thread is an entry point of its own, found beside the program: `new URL('./search-worker.ts', import.meta.url)`.
    entrypoints: ['src/main.ts', 'src/search/thread/search-worker.ts'],
    naming: '[name].[ext]',
    plugins: [libsql],
    compile: {
      outfile,
      ...(runtime && { target: runtime }),
      execArgv: [`--max-http-header-size=${MAX_REQUEST_HEAD_BYTES}`],
      // The executable ignores a .env file and a bunfig.toml in the current folder.
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
  await withAllNativePackages(async (modules) => {
    for (const [name, { runtime, libsql }] of Object.entries(RELEASE_TARGETS)) {
      const outfile = join(folder, name);
      await compile(outfile, createLibsqlPlugin(libsql, modules), runtime);
      sums.push(`${await sha256(outfile)}  ${basename(outfile)}\n`);
    }
  });
  await Bun.write(join(folder, 'SHA256SUMS'), sums.join(''));
  console.log(`${folder}/SHA256SUMS`);
} else {
  const modules = resolve('node_modules');
  await compile(join(DIST, 'repo'), createLibsqlPlugin(nativePackageHere(modules), modules));
}
