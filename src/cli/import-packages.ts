import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { CommandError, codeOf } from '../base/errors.ts';
import { byteText, countInWords, numberText } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { readBag } from '../transfer/bagit/read-bag.ts';
import { listOcflObjects } from '../transfer/ocfl/ocfl-root.ts';
import { readOcflObject } from '../transfer/ocfl/read-object.ts';
import {
  type ImportProgress,
  type ImportSummary,
  importPackages,
  type ListPackages,
  type PackageSource,
} from '../transfer/package/import-packages.ts';
import type { ImportProblem } from '../transfer/package/package-problem.ts';
import type { ImportFlags } from './import-flags.ts';
import { importContext } from './import-table.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { unlessStopped } from './stop-signal.ts';
import { filesText, plainLine } from './text.ts';

/** The maximum number of problems, and of notes, that are shown. */
const MAX_SHOWN = 100;
/** The permissions for setting owners, times and history. */
const NEEDED = ['administer nodes', 'administer media', 'administer taxonomy', 'bypass node access'] as const;

/** The display of each phase. The number of packages is known after the check. */
const LOOKS: Readonly<Record<ImportProgress['phase'], ProgressStyle<ImportProgress>>> = {
  check: {
    format: 'Checked {value} packages',
    measure: ({ packages, total }) => ({ total, value: packages, facts: {} }),
    lineOf: ({ packages }) => `Checked ${countInWords(packages, 'package')}.`,
  },
  load: {
    format: 'Loading [{bar}] {percentage}% | {value} of {total} packages, {size} of files | {eta_formatted} left',
    measure: ({ packages, total, bytes }) => ({ total, value: packages, facts: { size: byteText(bytes) } }),
    lineOf: ({ packages, total, bytes }) =>
      `Loaded ${numberText(packages)} of ${countInWords(total, 'package')}, ${byteText(bytes)} of files.`,
  },
};

/** Loads the packages of `--bag` or `--ocfl`, and prints a summary. Returns false for problems and after Ctrl-C. */
export async function importPackagesAt(repository: CommandRepository, flags: ImportFlags): Promise<boolean> {
  const { bag, ocfl = '', check: isCheckOnly = false, user, quiet = false } = flags;
  const displays = { check: showProgress(LOOKS.check, quiet), load: showProgress(LOOKS.load, quiet) };
  const onProgress = (progress: ImportProgress) => {
    if (progress.phase === 'load') displays.check.end();
    displays[progress.phase].show(progress);
  };
  const endDisplays = () => {
    displays.check.end();
    displays.load.end();
  };
  try {
    const summary = await unlessStopped(
      'The import was interrupted. Loaded packages are complete. Run the same command to resume it.',
      async (signal) => {
        const context = await importContext(repository, user);
        const missing = NEEDED.filter((permission) => !context.actor.may(permission));
        if (missing.length > 0)
          throw new CommandError(
            `${context.actor.name} may not load packages, which set owners and history. Missing permissions: ${missing.join(', ')}.`,
          );
        const list = bag === undefined ? objectsAt(ocfl) : await bagsAt(bag);
        return importPackages(context, list, { isCheckOnly, signal, onProgress });
      },
    );
    endDisplays();
    return summary !== undefined && printSummary(summary, isCheckOnly);
  } finally {
    endDisplays();
  }
}

/** Lists a bag in a folder or a ZIP file, or all of these in a folder. */
async function bagsAt(path: string): Promise<ListPackages> {
  if (await isFile(path)) return listed([bagAt(path)]);
  const entries = await readdir(path, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'bagit.txt')) return listed([bagAt(path)]);
  const bags = entries
    // A leading dot marks an unfinished bag. Other files may describe the bags.
    .filter((entry) => !entry.name.startsWith('.') && (!entry.isFile() || /\.zip$/i.test(entry.name)))
    .map(({ name }) => name)
    .sort()
    .map((name) => bagAt(join(path, name)));
  if (bags.length === 0) throw new CommandError(`No bags in ${path}. A bag is a folder or a ZIP file.`);
  return listed(bags);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new CommandError(`Cannot open ${path}: no such file or folder.`);
    throw error;
  }
}

function bagAt(path: string): PackageSource {
  return { name: basename(resolve(path)), read: (signal) => readBag(path, { signal }) };
}

function listed(sources: readonly PackageSource[]): ListPackages {
  return async function* () {
    yield* sources;
  };
}

/** Lists an OCFL object, or all of a storage root. */
function objectsAt(path: string): ListPackages {
  return async function* () {
    for await (const folder of listOcflObjects(path)) {
      // The whole path, because in some layouts the folders of all objects have the same name.
      const name = relative(path, folder) || basename(resolve(folder));
      yield { name, read: (signal) => readOcflObject(folder, signal) };
    }
  };
}

function printSummary(summary: ImportSummary, isCheck: boolean): boolean {
  const { packages, present, created, expected, problems, notes } = summary;
  printLines(problems.map(problemLine));
  printLines(notes.map(plainLine));
  const isLoaded = created.nodes + created.media + created.terms + created.paragraphs > 0;
  if (problems.length > 0 && !isLoaded) {
    console.error(
      `${countInWords(problems.length, 'problem')} in ${countInWords(packages, 'package')}. Nothing was loaded.`,
    );
    return false;
  }
  const before =
    present === 0 ? '' : ` ${countInWords(present, 'package')} ${present === 1 ? 'is' : 'are'} already loaded.`;
  if (isCheck) {
    const files = filesText(expected.files, expected.bytes);
    console.log(`${countInWords(packages - present, 'package')} with ${files} can be loaded.${before}`);
    return true;
  }
  const what = [
    countInWords(created.nodes, 'node'),
    `${numberText(created.media)} media`,
    countInWords(created.terms, 'new term'),
  ];
  if (created.paragraphs > 0) what.push(countInWords(created.paragraphs, 'paragraph'));
  const files = filesText(created.files, created.bytes);
  console.log(`Loaded ${what.join(', ')} and ${files}.${before}`);
  if (problems.length === 0) return true;
  console.error(`${countInWords(problems.length, 'problem')}; see above. Run the same command to resume.`);
  return false;
}

function printLines(lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_SHOWN)) console.error(line);
  if (lines.length > MAX_SHOWN) console.error(`… and ${lines.length - MAX_SHOWN} more.`);
}

function problemLine({ name, path, message }: ImportProblem): string {
  return plainLine(`${name}${path === '' ? '' : `, ${path}`}: ${message}`);
}
