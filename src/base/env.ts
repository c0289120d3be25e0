import { availableParallelism } from 'node:os';

/** The only module that reads the environment. Other modules get values from here, so that secrets can be traced. */

/** Returns the value of an environment variable; undefined for an empty one. */
export function readEnv(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Variables for finding files and for the user's language. None is a secret. */
const NAMES_FOR_PROGRAMS = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'TESSDATA_PREFIX', 'OMP_THREAD_LIMIT', 'OMP_NUM_THREADS'],
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'COMSPEC', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'],
]);
const PREFIXES_FOR_PROGRAMS = ['LC_', 'XDG_', 'MAGICK_', 'FONTCONFIG_'];

/** Returns the environment of a child process. It is an allow list, so that unknown secrets do not pass. */
export function environmentForPrograms(): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const isPassed = NAMES_FOR_PROGRAMS.has(name) || PREFIXES_FOR_PROGRAMS.some((prefix) => name.startsWith(prefix));
    if (isPassed && value !== undefined) passed[name] = value;
  }
  return passed;
}

/** The prefix of the variables of this program. Some hold passwords and keys. */
const OWN_PREFIX = 'REPO_';

/** Returns the names of the variables of this program that are set. */
export function ownVariables(): string[] {
  return Object.keys(process.env).filter((name) => name.startsWith(OWN_PREFIX));
}

/**
 * Returns the environment without the variables of this program. For the commands of a service that is configured by
 * variables, as the original is (decision 36).
 */
export function environmentForScripts(): Record<string, string> {
  const variables = Object.entries(process.env as Record<string, string>);
  return Object.fromEntries(variables.filter(([name]) => !name.startsWith(OWN_PREFIX)));
}

/** Returns the whole environment and further variables, for another process of this program only. */
export function environmentWith(variables: Record<string, string>): Record<string, string> {
  return { ...(process.env as Record<string, string>), ...variables };
}

/** Returns the number of cores that this process may use. */
export function coreCount(): number {
  return availableParallelism();
}
