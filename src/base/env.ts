import { availableParallelism } from 'node:os';

/**
 * The only module that reads the environment. Everything else is handed what it needs, so that a
 * secret can be traced from here.
 */

/** The value of an environment variable; an empty one counts as unset. */
export function readEnv(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** What a program needs to find its files and speak the user's language. None of it is a secret. */
const NAMES_FOR_PROGRAMS = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'TESSDATA_PREFIX', 'OMP_THREAD_LIMIT', 'OMP_NUM_THREADS'],
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'COMSPEC', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'],
]);
const PREFIXES_FOR_PROGRAMS = ['LC_', 'XDG_', 'MAGICK_', 'FONTCONFIG_'];

/**
 * The part of the environment that a child process gets. It is a list of what is let through, not of
 * what is held back: a secret that nobody thought of stays here.
 */
export function environmentForPrograms(): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const isPassed = NAMES_FOR_PROGRAMS.has(name) || PREFIXES_FOR_PROGRAMS.some((prefix) => name.startsWith(prefix));
    if (isPassed && value !== undefined) passed[name] = value;
  }
  return passed;
}

/** The prefix of the variables that configure this program; some hold passwords and keys. */
const OWN_PREFIX = 'REPO_';

/**
 * Returns the environment without the variables of this program. For the commands of a service that is configured by
 * variables, as the original is (docs/decisions/036).
 */
export function environmentForScripts(): Record<string, string> {
  const variables = Object.entries(process.env as Record<string, string>);
  return Object.fromEntries(variables.filter(([name]) => !name.startsWith(OWN_PREFIX)));
}

/** The whole environment and some variables more: for another process of this very program, and for no other. */
export function environmentWith(variables: Record<string, string>): Record<string, string> {
  return { ...(process.env as Record<string, string>), ...variables };
}

/** How many cores this process may use. */
export function coreCount(): number {
  return availableParallelism();
}
