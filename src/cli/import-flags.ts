import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { codeOf } from '../base/errors.ts';
import type { LinkedType } from '../repository/access-rule.ts';
import { isSpreadsheetName } from '../transfer/spreadsheet/spreadsheet-name.ts';
import { type SettingFlags, settingOptions } from './settings.ts';

/** The options of `repo import`. */
export interface ImportFlags extends SettingFlags {
  bag?: string;
  ocfl?: string;
  plan?: string;
  foldersAsItems?: boolean;
  files?: string;
  check?: boolean;
  again?: boolean;
  user: string;
  contentType: string;
  newTerms: boolean;
  createTerms: readonly string[];
  delimiter: string;
  sheet?: string;
  subdelimiter: string;
  additionalFiles: ReadonlyMap<string, string>;
  textFormat?: string;
  concurrency: number;
  output?: string;
  quiet?: boolean;
  update?: boolean;
  type: LinkedType;
  key?: string;
  append: readonly string[];
  remove: readonly string[];
  overwrite?: boolean;
  reason?: string;
  undo?: number;
}

/** The options that only apply to tables of changes. */
const UPDATE_OPTIONS = ['type', 'key', 'append', 'remove', 'overwrite', 'reason'];
/** The options of tables of new content that do not apply to tables of changes. */
const CREATE_OPTIONS = ['files', 'again', 'contentType', 'additionalFiles', 'concurrency', 'output'];

/** The options that also apply to packages. All others apply only to tables. */
const PACKAGE_OPTIONS = new Set(['bag', 'ocfl', 'plan', 'foldersAsItems', 'check', 'user', 'quiet']);

/** Returns the error of options that exclude each other or cannot be used, or undefined. */
export function usageError(
  table: string | undefined,
  { bag, ocfl, plan, foldersAsItems, output, check, newTerms, createTerms, update, undo }: ImportFlags,
  command: Command,
): string | undefined {
  const given = (names: readonly string[]) =>
    command.options.find((each) => {
      const name = each.attributeName();
      return names.includes(name) && command.getOptionValueSource(name) === 'cli';
    });
  if (undo !== undefined) {
    if (table !== undefined) return 'a table and --undo exclude each other';
    const other = given([...UPDATE_OPTIONS, ...CREATE_OPTIONS, 'update', 'check', 'createTerms', 'textFormat']);
    return other && `--undo excludes ${other.long}`;
  }
  const unfit = given(update ? CREATE_OPTIONS : UPDATE_OPTIONS);
  if (unfit !== undefined) return update ? `--update excludes ${unfit.long}` : `${unfit.long} requires --update`;
  const option = bag === undefined ? '--ocfl' : '--bag';
  if (plan !== undefined && bag === undefined) return '--plan requires --bag';
  if (foldersAsItems && plan === undefined) return '--folders-as-items requires --plan';
  if (bag === undefined && ocfl === undefined) {
    if (table === undefined) return 'name a table, --bag, --ocfl or --undo';
    if (!newTerms && createTerms.length > 0) return '--create-terms and --no-new-terms exclude each other';
    if (update) return undefined;
    const result = output ?? resultBeside(table);
    return outputError(result, table) ?? (check || !existsSync(table) ? undefined : folderError(result));
  }
  if (table !== undefined) return `a table and ${option} exclude each other`;
  const settings = new Set(settingOptions().map((each) => each.attributeName()));
  const other = command.options.find((each) => {
    const name = each.attributeName();
    return !PACKAGE_OPTIONS.has(name) && !settings.has(name) && command.getOptionValueSource(name) === 'cli';
  });
  return other && `${other.long} requires a table, and excludes ${option}`;
}

/** Returns the error of an output that would overwrite the table. Compares files, not names. */
function outputError(output: string, table: string): string | undefined {
  if (resolve(output) === resolve(table)) return '--output names the table itself';
  if (!existsSync(output)) return undefined;
  const place = statSync(output);
  if (place.isDirectory())
    return `the result cannot be written to ${output}, which is a folder; name a file with --output`;
  const own = existsSync(table) ? statSync(table) : undefined;
  return own?.ino === place.ino && own.dev === place.dev ? '--output names the table itself' : undefined;
}

/** Returns the error of a folder that cannot be written. Called before the check of the table, which may take long. */
function folderError(output: string): string | undefined {
  const folder = dirname(output);
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing ? 'no such folder' : code === 'EROFS' ? 'it is write-protected' : 'permission denied';
    return `the result cannot be written to ${folder}: ${reason}; name a file elsewhere with --output`;
  }
}

/** Returns the default output: `scans/nodes.result.csv` for `scans/nodes.csv`, and for a spreadsheet of that name. */
export function resultBeside(file: string): string {
  const extension = extname(file);
  const ofResult = isSpreadsheetName(file) || extension === '' ? '.csv' : extension;
  return join(dirname(file), `${basename(file, extension)}.result${ofResult}`);
}
