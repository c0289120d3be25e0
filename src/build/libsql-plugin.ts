import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The native packages of libSQL, by the executable that each belongs into. */
export type NativePackage = `@libsql/${'linux' | 'darwin' | 'win32'}-${string}`;

/** How `libsql/index.js` and `libsql/promise.js` find their native part: by a name that is put together at run time. */
const FINDS_NATIVE = /const \{ load, currentTarget \}[\s\S]*?\n\}\n/;
const CALLS_NATIVE = '= requireNative();';

/**
 * Puts the native part of libSQL into the executable. The package looks for it by a computed name, which no
 * bundler can follow, so that an executable would not find it away from `node_modules` (oven-sh/bun#18909).
 * `folder` is the `node_modules` that holds the native package. Throws if the package is not as it was known.
 */
export function createLibsqlPlugin(nativePackage: NativePackage, folder: string): Bun.BunPlugin {
  return {
    name: 'libsql',
    setup(build) {
      build.onLoad({ filter: /node_modules[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!FINDS_NATIVE.test(source) || !source.includes(CALLS_NATIVE))
          throw new Error(`${path} looks for its native part in a new way; src/build/libsql-plugin.ts must follow it`);
        const native = JSON.stringify(join(folder, nativePackage, 'index.node'));
        const contents = source.replace(FINDS_NATIVE, '').replace(CALLS_NATIVE, `= require(${native});`);
        return { contents, loader: 'js' };
      });
    },
  };
}
