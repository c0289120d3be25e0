import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the native package of libSQL for this machine. Throws if there is none. */
export function nativePackageHere(modules: string): NativePackage {
  const { platform, arch } = process;
  const variants = { linux: ['-gnu', '-musl'], win32: ['-msvc'] }[platform as string] ?? [''];
  const candidates = variants.map((variant) => `@libsql/${platform}-${arch}${variant}` as NativePackage);
  const require = createRequire(import.meta.url);
  const refusals: string[] = [];
  for (const candidate of candidates) {
    try {
      require(join(modules, candidate, 'index.node'));
      return candidate;
    } catch (error) {
      refusals.push(`${candidate}: ${(error as Error).message}`);
    }
  }
  throw new Error(`no native part of libSQL works on this machine\n${refusals.join('\n')}`);
}

/**
 * Runs `work` with a temporary `node_modules` with the native packages of all platforms, in the versions of bun.lock. The
 * package manager installs those of other platforms only on request.
 */
export async function withAllNativePackages(work: (modules: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-release-'));
  try {
    for (const name of ['package.json', 'bun.lock']) await copyFile(name, join(folder, name));
    const install = ['install', '--frozen-lockfile', '--production', '--ignore-scripts', '--os=*', '--cpu=*'];
    const child = Bun.spawn([process.execPath, ...install], { cwd: folder, stdout: 'ignore', stderr: 'inherit' });
    if ((await child.exited) !== 0) throw new Error('the native packages of the other platforms could not be fetched');
    await work(join(folder, 'node_modules'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A native package of libSQL. */
export type NativePackage = `@libsql/${'linux' | 'darwin' | 'win32'}-${string}`;

/** The code with which `libsql/index.js` and `libsql/promise.js` load their native part, by a computed name. */
const FINDS_NATIVE = /const \{ load, currentTarget \}[\s\S]*?\n\}\n/;
const CALLS_NATIVE = '= requireNative();';

/**
 * Creates a plugin that includes the native part of libSQL. The package loads it by a computed name, which a bundler cannot
 * follow: the executable would need `node_modules` (oven-sh/bun#18909). `folder` is the `node_modules` with the native
 * package. Throws if the package loads it in another way.
 */
export function createLibsqlPlugin(nativePackage: NativePackage, folder: string): Bun.BunPlugin {
  return {
    name: 'libsql',
    setup(build) {
      build.onLoad({ filter: /node_modules[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!FINDS_NATIVE.test(source) || !source.includes(CALLS_NATIVE))
          throw new Error(`${path} loads its native part in a new way: adapt src/build/native-packages.ts`);
        const native = JSON.stringify(join(folder, nativePackage, 'index.node'));
        const contents = source.replace(FINDS_NATIVE, '').replace(CALLS_NATIVE, `= require(${native});`);
        return { contents, loader: 'js' };
      });
    },
  };
}
