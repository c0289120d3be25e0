import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { thirdPartyNotices } from './third-party-notices.ts';

/**
 * Prepares what the pages load in browsers from packages: `bun src/build/bundle-browser.ts`, which `bun install` runs. The
 * results are the same for the executable and for `bun run`: files in node_modules, which `src/pages/assets` embeds.
 */

const MODULES = 'node_modules';
const RESULTS = join(MODULES, '.browser');
const CMAPS = join(MODULES, 'pdfjs-dist/cmaps');

/** The modules of browsers, by the name of the result. */
const BUNDLES: Readonly<Record<string, string>> = {
  'date-functions.client.js': 'src/build/dates-entry.ts',
  'readable-title.client.js': 'src/base/readable-title.ts',
  'squire.client.js': 'src/build/squire-entry.ts',
  'mirador.client.js': 'src/build/mirador-entry.ts',
  'tus.client.js': join(MODULES, 'tus-js-client/lib.esm/browser/index.js'),
  'pdf-components.client.js': join(MODULES, 'pdfjs-dist/legacy/web/pdf_viewer.mjs'),
};

/** Mirador's own bundle is a development version: it writes to the console, and contains the development version of React. */
const productionMirador: Bun.BunPlugin = {
  name: 'mirador',
  setup(build) {
    build.onLoad({ filter: /mirador[\\/]dist[\\/]mirador\.es\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { contents: source.replaceAll(/(?<![\w$.])[\w$]+\.NODE_ENV\b/g, '"production"'), loader: 'js' };
    });
  },
};

/** Bundles a module for browsers with all of its packages. Returns the files that it consists of. */
async function bundle(entrypoint: string, outfile: string): Promise<string[]> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [entrypoint],
    target: 'browser',
    format: 'esm',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [productionMirador],
    metafile: true,
  });
  const [output] = outputs;
  if (output === undefined || metafile === undefined) throw new Error(`${entrypoint} was not bundled`);
  await Bun.write(outfile, output);
  return Object.keys(metafile.inputs);
}

/** Returns all character maps of pdf.js as one file: the length of an index, the index as JSON, and the maps in its order. */
async function packCharacterMaps(): Promise<Uint8Array> {
  const names = (await readdir(CMAPS)).filter((name) => name.endsWith('.bcmap')).sort();
  const maps = await Promise.all(names.map((name) => readFile(join(CMAPS, name))));
  const index = Buffer.from(JSON.stringify(names.map((name, at) => [name, maps[at]?.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(index.length);
  return Buffer.concat([length, index, ...maps]);
}

// Another process may read the results of an earlier install.
const folder = `${RESULTS}-${process.pid}`;
await mkdir(folder, { recursive: true });
const inputs: string[] = [];
for (const [name, entrypoint] of Object.entries(BUNDLES))
  inputs.push(...(await bundle(entrypoint, join(folder, name))));
await Bun.write(join(folder, 'pdf-character-maps.bin'), await packCharacterMaps());
await Bun.write(join(folder, 'third-party.txt'), await thirdPartyNotices(MODULES, inputs));
await rm(RESULTS, { recursive: true, force: true });
await rename(folder, RESULTS);
