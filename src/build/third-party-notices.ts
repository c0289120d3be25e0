import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Packages that are embedded as files, in addition to those of bundles and of `dependencies`. */
const EMBEDDED = ['openseadragon', 'pdfjs-dist'];
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;
/** The licenses of files of pdf.js that are not embedded. */
const UNUSED_LICENSE = /LIBERATION|QCMS|QUICKJS/;
/** Folders of embedded files with licenses of their own. */
const LICENSE_FOLDERS = ['cmaps', 'standard_fonts', 'wasm'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns the names, versions and license texts of all packages in the executable: `dependencies` of package.json with theirs,
 * embedded packages, and those of `bundled` files. Equal texts are printed once.
 */
export async function thirdPartyNotices(modules: string, bundled: readonly string[]): Promise<string> {
  const folders = new Set<string>(EMBEDDED.map((name) => join(modules, name)));
  for (const file of bundled) folders.add(packageFolder(file));
  const own = await manifestOf('.');
  for (const name of Object.keys(own.dependencies ?? {})) await addTree(join(modules, name), folders);
  const byText = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license = 'see below' } = await manifestOf(folder);
    const text = (await licenseTexts(folder)).join('\n\n') || `License: ${license}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const sections = [...byText].map(([text, packages]) => `${[...new Set(packages)].join('\n')}\n\n${text.trim()}\n`);
  return `Packages in this program, and their licenses\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Adds the folder of a package and those of its dependencies. */
async function addTree(folder: string, folders: Set<string>): Promise<void> {
  if (folders.has(folder)) return;
  folders.add(folder);
  for (const name of Object.keys((await manifestOf(folder)).dependencies ?? {})) {
    const packageFolder = findPackage(folder, name);
    // The package of another platform.
    if (packageFolder !== undefined) await addTree(packageFolder, folders);
  }
}

/** Returns the folder of a package as another one imports it. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; folder !== '.'; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  const candidate = join('node_modules', name);
  return existsSync(join(candidate, 'package.json')) ? candidate : undefined;
}

/** Returns the folder of the package that contains a file. */
function packageFolder(file: string): string {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
    if (/node_modules\/(@[^/]+\/)?[^/]+$/.test(folder)) return folder;
  return '.';
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function licenseTexts(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const part of ['', ...LICENSE_FOLDERS]) {
    const path = join(folder, part);
    if (!existsSync(path)) continue;
    const names = (await readdir(path)).filter((name) => LICENSE_FILE.test(name) && !UNUSED_LICENSE.test(name)).sort();
    for (const name of names) texts.push((await readFile(join(path, name), 'utf8')).trim());
  }
  return texts;
}
