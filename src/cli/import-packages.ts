import { Option } from 'commander';
import type {
  ImportProblem,
  ImportSummary,
  PackageAdministration,
  PackageRequest,
} from '../modes/package-administration.ts';
import { counted, filesText, numberText } from './count-text.ts';
import { parsePath } from './parse-value.ts';
import { plainLine } from './plain-line.ts';
import { unlessStopped } from './stop-signal.ts';

export interface PackageFlags {
  readonly bag?: string;
  readonly ocfl?: string;
  readonly check?: boolean;
  readonly user: string;
  readonly quiet?: boolean;
}

/** Of problems and of what was left out, on the screen. */
const MAX_SHOWN = 100;

/** The options of `repo import` that name packages instead of a table. */
export function packageOptions(): Option[] {
  return [
    new Option('--bag <path>', 'instead of a table: a BagIt bag, a zip file of one, or a folder of these')
      .argParser(parsePath)
      .conflicts('ocfl'),
    new Option('--ocfl <path>', 'instead of a table: an OCFL object, or a storage root').argParser(parsePath),
  ];
}

/** Checks and loads packages, and says what came of it; answers whether all is as was asked for. */
export async function importPackages(packages: PackageAdministration, flags: PackageFlags): Promise<boolean> {
  const { bag, ocfl, check = false, user, quiet = false } = flags;
  const request: PackageRequest =
    bag === undefined ? { format: 'ocfl', path: ocfl ?? '', user } : { format: 'bag', path: bag, user };
  const { showPackages } = await import('./package-display.ts');
  const display = showPackages(quiet);
  try {
    const summary = await unlessStopped(
      'The import was broken off. What was loaded is whole; the same command goes on from here.',
      (signal) => packages.load(request, { isCheckOnly: check, signal, onProgress: display.show }),
    );
    display.end();
    return summary !== undefined && tell(summary, check);
  } finally {
    display.end();
  }
}

function tell(summary: ImportSummary, isCheck: boolean): boolean {
  const { packages, present, made, expected, problems, notes } = summary;
  tellLines(problems.map(problemLine));
  tellLines(notes.map(plainLine));
  const isLoaded = made.nodes + made.media + made.terms + made.paragraphs > 0;
  if (problems.length > 0 && !isLoaded) {
    console.error(`${counted(problems.length, 'problem')} in ${counted(packages, 'package')}. Nothing was loaded.`);
    return false;
  }
  const before = present === 0 ? '' : ` ${counted(present, 'package')} ${present === 1 ? 'was' : 'were'} here already.`;
  if (isCheck) {
    const files = filesText(expected.files, expected.bytes);
    console.log(`${counted(packages - present, 'package')} with ${files} can be loaded.${before}`);
    return true;
  }
  const what = [counted(made.nodes, 'node'), `${numberText(made.media)} media`, counted(made.terms, 'new term')];
  if (made.paragraphs > 0) what.push(counted(made.paragraphs, 'paragraph'));
  const files = filesText(made.files, made.bytes);
  console.log(`Loaded ${what.join(', ')} and ${files}.${before}`);
  if (problems.length === 0) return true;
  console.error(`${counted(problems.length, 'problem')}; see above. The same command goes on from here.`);
  return false;
}

function tellLines(lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_SHOWN)) console.error(line);
  if (lines.length > MAX_SHOWN) console.error(`… and ${lines.length - MAX_SHOWN} more of these.`);
}

function problemLine({ name, path, message }: ImportProblem): string {
  return plainLine(`${name}${path === '' ? '' : `, ${path}`}: ${message}`);
}
