import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

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
const CALLS_NATIVE = /const (\{[^}]*\}) = requireNative\(\);/;
const LOADER = resolve('src/database/native-library.ts');

/**
 * Creates a plugin that includes the native part of libSQL as a file, and loads it at the first call of one of its functions
 * (`src/database/native-library.ts`). The package loads it by a computed name, which a bundler cannot follow
 * (oven-sh/bun#18909); and the runtime unpacks an embedded library only into the folder for temporary files, where it may
 * not run, and does not check it. `folder` is the `node_modules` with the native package. Throws if the package loads it in
 * another way.
 */
export function createLibsqlPlugin(nativePackage: NativePackage, folder: string): Bun.BunPlugin {
  const native = join(folder, nativePackage, 'index.node');
  return {
    name: 'libsql',
    setup(build) {
      build.onLoad({ filter: /node_modules[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const [, names] = CALLS_NATIVE.exec(source) ?? [];
        if (!FINDS_NATIVE.test(source) || names === undefined)
          throw new Error(`${path} loads its native part in a new way: adapt src/build/native-packages.ts`);
        const sha256 = createHash('sha256')
          .update(await readFile(native))
          .digest('hex');
        const stubs = [
          `const file = require(${JSON.stringify(`${native}${AS_FILE}`)});`,
          `const { createStubs } = require(${JSON.stringify(LOADER)});`,
          // The names are bound to the functions themselves after the first call, which costs later calls nothing.
          `let ${names} = createStubs({ file, sha256: '${sha256}' }, (native) => { (${names} = native); });`,
        ];
        return {
          contents: source.replace(FINDS_NATIVE, '').replace(CALLS_NATIVE, () => stubs.join('\n')),
          loader: 'js',
        };
      });
      build.onResolve({ filter: /index\.node\?file$/ }, ({ path }) => ({ path: path.slice(0, -AS_FILE.length) }));
      build.onLoad({ filter: /@libsql[\\/][^\\/]+[\\/]index\.node$/ }, async ({ path }) => ({
        contents: await readFile(path),
        loader: 'file',
      }));
    },
  };
}

/** Marks an import of a native package as one of a file, which the runtime would otherwise load. */
const AS_FILE = '?file';
