import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isThere, makeFolders, syncFolder, writeFileDurably } from '../files/durable-files.ts';
import { requireFolder } from '../files/list-folder.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import { clearUnfinished } from '../files/work-folder.ts';
import {
  declarationIn,
  declarationText,
  EXTENSIONS_FOLDER,
  OBJECT_DECLARATIONS,
  ROOT_DECLARATION,
  ROOT_DECLARATIONS,
  requireDeclaration,
} from './ocfl-names.ts';

const LAYOUT_FILE = 'ocfl_layout.json';
const MAX_LAYOUT_BYTES = 64 * 1024;
const DIGEST = 'sha256';
const TUPLE_SIZE = 3;
const TUPLES = 3;
const MAX_ENCODED_CHARACTERS = 100;

/** A layout of OCFL's community extensions with its default settings. */
interface Layout {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Returns the last folder of the path of an object. */
  readonly folderOf: (identifier: string, digest: string) => string;
}

const TUPLE_SETTINGS = { digestAlgorithm: DIGEST, tupleSize: TUPLE_SIZE, numberOfTuples: TUPLES };
/** The layout of new roots, which common validators know, and the one of roots by earlier versions of this program. */
const LAYOUTS: readonly [Layout, ...Layout[]] = [
  {
    name: '0003-hash-and-id-n-tuple-storage-layout',
    settings: TUPLE_SETTINGS,
    folderOf: (identifier, digest) => {
      const encoded = encodedIdentifier(identifier);
      return encoded.length > MAX_ENCODED_CHARACTERS
        ? `${encoded.slice(0, MAX_ENCODED_CHARACTERS)}-${digest}`
        : encoded;
    },
  },
  {
    name: '0004-hashed-n-tuple-storage-layout',
    settings: { ...TUPLE_SETTINGS, shortObjectRoot: false },
    folderOf: (_identifier, digest) => digest,
  },
];

/** A storage root that objects can be written to. */
export interface OcflRoot {
  /** Its absolute path. */
  readonly folder: string;
  /** Returns the path of an object in the root. */
  readonly pathOf: (identifier: string) => string;
}

/** Percent-encodes all but letters, digits, `-` and `_`, in lower case (extension 0003). */
function encodedIdentifier(identifier: string): string {
  const encoded = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`;
  return identifier.replaceAll(/[^A-Za-z0-9_-]/gu, (character) => Array.from(Buffer.from(character), encoded).join(''));
}

function pathIn({ folderOf }: Layout): OcflRoot['pathOf'] {
  return (identifier) => {
    const digest = new Bun.CryptoHasher(DIGEST).update(identifier).digest('hex');
    const tuples = Array.from({ length: TUPLES }, (_none, index) =>
      digest.slice(index * TUPLE_SIZE, (index + 1) * TUPLE_SIZE),
    );
    return [...tuples, folderOf(identifier, digest)].join('/');
  };
}

/**
 * Creates a storage root, or opens one with a layout of this program. Throws PackageError for a folder with other files,
 * and for a root with another layout.
 */
export async function openOcflRoot(folder: string): Promise<OcflRoot> {
  const root = resolve(folder);
  let [layout] = LAYOUTS;
  await makeFolders(root);
  await requireFolder(root);
  const extensions = join(root, EXTENSIONS_FOLDER);
  const names = await readdir(root);
  if (names.some((name) => name.startsWith('0='))) {
    await requireDeclaration(root, names, ROOT_DECLARATIONS, (path) => readText(readFileBytes(path), path, 64));
    layout = await layoutOf(root);
  } else {
    // The declaration is written last. Without it, these files are from an interrupted creation.
    if (names.some((name) => name !== EXTENSIONS_FOLDER && name !== LAYOUT_FILE))
      throw new PackageError(`${root} is neither empty nor an OCFL storage root. Name an empty folder, or a root.`);
    await makeRoot(root, layout);
  }
  await mkdir(extensions, { recursive: true });
  await clearUnfinished(extensions);
  return { folder: root, pathOf: pathIn(layout) };
}

async function makeRoot(root: string, { name, settings }: Layout): Promise<void> {
  const folder = join(root, EXTENSIONS_FOLDER, name);
  const description = 'Objects are in folders named after their identifier, in folders of its digest.';
  await makeFolders(folder);
  await writeOnce(join(folder, 'config.json'), toText({ extensionName: name, ...settings }));
  await writeOnce(join(root, LAYOUT_FILE), toText({ extension: name, description }));
  await writeFileDurably(join(root, ROOT_DECLARATION), declarationText(ROOT_DECLARATION));
  await syncFolder(folder);
  await syncFolder(root);
}

async function writeOnce(path: string, text: string): Promise<void> {
  if (!(await isThere(path))) await writeFileDurably(path, text);
}

async function layoutOf(root: string): Promise<Layout> {
  const declared = (await readJson(join(root, LAYOUT_FILE)))?.extension;
  const layout = LAYOUTS.find(({ name }) => name === declared);
  const settings = layout && ((await readJson(join(root, EXTENSIONS_FOLDER, layout.name, 'config.json'))) ?? {});
  const isDefault = Object.entries(layout?.settings ?? {}).every(
    ([key, value]) => (settings?.[key] ?? value) === value,
  );
  if (layout === undefined || !isDefault)
    throw new PackageError(
      `${root} has another layout than ${LAYOUTS.map(({ name }) => name).join(' or ')} with default settings. Name an empty folder.`,
    );
  return layout;
}

async function readJson(path: string): Promise<Record<string, unknown> | undefined> {
  if (!(await isThere(path))) return undefined;
  try {
    const value: unknown = JSON.parse(await readText(readFileBytes(path), path, MAX_LAYOUT_BYTES));
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch (cause) {
    if (cause instanceof PackageError) throw cause;
    throw new PackageError(`${path} is not valid JSON.`, { cause });
  }
}

function toText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Lists the object folders of a storage root, ordered by name; for an object folder, only itself. Throws PackageError. */
export async function* listOcflObjects(path: string): AsyncGenerator<string> {
  await requireFolder(path);
  const names = await readdir(path);
  if (declarationIn(names, OBJECT_DECLARATIONS) !== undefined) {
    yield path;
    return;
  }
  await requireDeclaration(path, names, ROOT_DECLARATIONS, (file) => readText(readFileBytes(file), file, 64));
  for (const entry of await sortedEntries(path)) {
    if (entry.isDirectory() && entry.name !== EXTENSIONS_FOLDER) yield* objectsBelow(join(path, entry.name));
    // A root may contain files, such as the text of the specification.
    else if (!entry.isDirectory()) requireFile(path, entry);
  }
}

async function* objectsBelow(folder: string): AsyncGenerator<string> {
  const entries = await sortedEntries(folder);
  const names = entries.map(({ name }) => name);
  // Reading the object reports an unknown version.
  if (names.some((name) => name.startsWith('0='))) {
    yield folder;
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) yield* objectsBelow(join(folder, entry.name));
    else {
      requireFile(folder, entry);
      throw new PackageError(
        `${shown(join(folder, entry.name))} belongs to no object; only folders are allowed there.`,
      );
    }
  }
}

async function sortedEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function requireFile(folder: string, entry: { name: string; isFile(): boolean }): void {
  if (entry.isFile()) return;
  throw new PackageError(
    `${shown(join(folder, entry.name))} is a link or a device; only files and folders are allowed there.`,
  );
}
