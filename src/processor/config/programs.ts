import { resolve } from 'node:path';
import { allCommands, type CommandDefinition, type CommandSet, mapCommands } from './commands.ts';

/** Returns the path of an executable, or null. */
export type FindProgram = (name: string) => string | null;

/** The program of util-linux that limits the memory of a process. */
export const MEMORY_LIMITER = 'prlimit';

/** The Debian and Homebrew packages of programs. */
const PACKAGES: Record<string, readonly [debian: string, homebrew: string]> = {
  bash: ['bash', 'bash'],
  convert: ['imagemagick', 'imagemagick'],
  exiftool: ['libimage-exiftool-perl', 'exiftool'],
  ffmpeg: ['ffmpeg', 'ffmpeg'],
  pandoc: ['pandoc', 'pandoc'],
  pdfinfo: ['poppler-utils', 'poppler'],
  pdftoppm: ['poppler-utils', 'poppler'],
  pdftotext: ['poppler-utils', 'poppler'],
  prlimit: ['util-linux', 'util-linux'],
  soffice: ['libreoffice-writer-nogui and libreoffice-impress-nogui', 'libreoffice'],
  tar: ['tar', 'gnu-tar'],
  tesseract: ['tesseract-ocr', 'tesseract'],
  tiff2rgba: ['libtiff-tools', 'libtiff'],
  tiffset: ['libtiff-tools', 'libtiff'],
  vips: ['libvips-tools', 'vips'],
  vipsheader: ['libvips-tools', 'vips'],
};

/**
 * Returns the absolute path of an executable, or null. Relative names are resolved against the directory in which the
 * service was started, because commands run in other folders.
 */
export function findProgram(name: string): string | null {
  const path = Bun.which(name);
  return path === null ? null : resolve(path);
}

/** Returns the programs that a configuration names and this machine does not have, each once. */
export function missingPrograms(config: CommandSet): string[] {
  return [...new Set(allCommands(config).flatMap(({ missing }) => missing))];
}

/** Returns the commands whose `maxMemoryBytes` this machine cannot enforce. */
export function withoutMemoryLimit(config: CommandSet): CommandDefinition[] {
  return allCommands(config).filter(
    ({ maxMemoryBytes, memoryLimiter }) => maxMemoryBytes && memoryLimiter === undefined,
  );
}

/** Returns a configuration with the programs that were installed since it was read. */
export function withFoundPrograms<Config extends CommandSet>(config: Config, find: FindProgram): Config {
  return mapCommands(config, (command) => ({
    ...command,
    program: find(command.cmd) ?? command.program,
    memoryLimiter: command.maxMemoryBytes === undefined ? undefined : (find(MEMORY_LIMITER) ?? undefined),
    missing: command.missing.filter((name) => find(name) === null),
  }));
}

/** Lists programs with their packages: `convert (Debian: imagemagick, Homebrew: imagemagick) and mytool`. */
export function listWithPackages(programs: readonly string[]): string {
  return listInWords(programs.map(withPackages));
}

/** `a`, `a and b`, `a, b and c`. */
export function listInWords(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function withPackages(program: string): string {
  const packages = packagesOf(program);
  return packages === undefined ? program : `${program} (${packages})`;
}

/** Returns the packages that contain a program: `Debian: imagemagick, Homebrew: imagemagick`. Undefined if unknown. */
export function packagesOf(program: string): string | undefined {
  const packages = Object.hasOwn(PACKAGES, program) ? PACKAGES[program] : undefined;
  return packages && `Debian: ${packages[0]}, Homebrew: ${packages[1]}`;
}

/** Returns the programs that the commands of a configuration need, each once, by name. */
export function neededPrograms(config: CommandSet): string[] {
  return [...new Set(allCommands(config).flatMap(({ needs }) => needs))].sort();
}
