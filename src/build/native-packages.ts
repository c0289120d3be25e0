import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NativePackage } from './libsql-plugin.ts';

/** The native part of libSQL for this machine: the one that it can load. Throws if there is none. */
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
 * Runs `work` with a temporary `node_modules` that holds the native packages of every platform, in the very
 * versions of bun.lock. The package manager leaves those of other platforms out unless it is told otherwise.
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
